// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/run_controller.h"

#include "core/remote/remote_session.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace unroll {

namespace {

/// Processor time of this thread so far, in seconds.
double threadSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace

RunController::RunController(StartRun start, QObject* parent)
    : QObject(parent), m_start(std::move(start)), m_snapshot(std::make_shared<const Snapshot>())
{
    m_timer.setInterval(kTickMilliseconds);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &RunController::poll);
}

RunController::~RunController() = default;

void RunController::begin(const Experiment& experiment, const SessionOptions& options)
{
    m_continues = false;
    begin(experiment, experiment, options, std::make_shared<const Snapshot>());
}

/// What is watched is told to the run by who begins it: after the command to train, which a first snapshot would hold
/// up.
void RunController::begin(const Experiment& shown, const Experiment& trained, const SessionOptions& options,
                          std::shared_ptr<const Snapshot> first)
{
    announce(shown, trained, options, std::move(first));
    follow(m_start(trained, options));
}

void RunController::announce(const Experiment& shown, const Experiment& trained, const SessionOptions& options,
                             std::shared_ptr<const Snapshot> first)
{
    dropRun();
    m_experiment = shown;
    m_rate = trained.training.learningRate;
    m_folder = options.runFolder;
    m_isRecord = options.ended != nullptr;
    m_snapshot = std::move(first);
    Q_EMIT runChanged();
}

void RunController::follow(std::unique_ptr<Session> run)
{
    m_run = std::move(run);
    m_drawnUntil = threadSeconds();
    m_otherwise = 0;
    m_timer.start();
}

/// So many steps, or to the end (0).
void RunController::train(std::int64_t steps)
{
    if (steps > 0)
        m_run->step(steps);
    else
        m_run->run();
}

void RunController::tellRate(double peak)
{
    m_rate = peak;
    m_run->setLearningRate(peak);
}

/// A run from the disk may still be opening its model: nobody waits for that.
void RunController::dropRun()
{
    if (m_isRecord && m_run)
        m_going = std::jthread([run = std::move(m_run)]() mutable { run.reset(); });
    m_run.reset();
}

void RunController::restart(const Experiment& experiment, std::function<SessionOptions()> options, Weights weights)
{
    m_next.emplace(Next{experiment, std::move(options), weights});
    if (m_run) {
        m_run->ask({}); // nobody waits for its last snapshot
        m_run->stop();
        if (weights == Weights::Kept)
            m_run->keepWeights();
        m_timer.start();
    }
    Q_EMIT stateChanged();
    if (nextMayBegin())
        beginNext();
}

/// The run before has ended and told what is wanted of it.
bool RunController::nextMayBegin() const
{
    if (!m_next || isUnderWay())
        return false;
    return !m_run || m_next->weights == Weights::Drawn || m_snapshot->keptWeights || !m_snapshot->notKept.empty();
}

void RunController::beginNext()
{
    const Next next = *std::exchange(m_next, std::nullopt);
    SessionOptions options = next.options();
    if (next.weights == Weights::Kept) {
        if (!m_snapshot->keptWeights) {
            forgetNext();
            Q_EMIT weightsNotKept(QString::fromStdString(m_snapshot->notKept));
            return;
        }
        options.keptWeights = m_snapshot->keptWeights;
        options.initialWeights.clear(); // the run before has trained on from them
    }
    run(next.experiment, options);
}

/// What the run shows is wanted again.
void RunController::forgetNext()
{
    m_next.reset();
    if (m_run)
        m_run->ask(open());
    Q_EMIT stateChanged();
}

void RunController::step(const Experiment& experiment, const SessionOptions& options, std::int64_t count)
{
    const bool begins = !isUnderWay();
    if (begins)
        begin(experiment, options);
    train(count);
    if (begins)
        tellOpen();
    poll();
}

void RunController::goOn(double learningRate, std::int64_t steps)
{
    Q_ASSERT(canGoOn());
    if (learningRate != m_rate)
        tellRate(learningRate);
    train(steps);
    m_timer.start();
    poll();
}

void RunController::show(const Experiment& shown, const RunRecord& record, const std::string& checkpoint)
{
    Q_ASSERT(!isUnderWay());
    m_next.reset();
    SessionOptions options;
    options.runFolder = record.snapshot.runFolder;
    options.ended = std::make_shared<const Snapshot>(record.snapshot);
    options.checkpoint = checkpoint;
    m_continues = false;
    begin(shown, record.experiment, options, options.ended);
    tellOpen();
    Q_EMIT metricsArrived(record.rows);
    Q_EMIT snapshotChanged();
    announceState();
    Q_EMIT ticked();
}

/// What was drawn behind the checkpoint is drawn again as it is trained again.
void RunController::resume(const Experiment& shown, const RunRecord& record, std::int64_t steps)
{
    Q_ASSERT(!isUnderWay());
    SessionOptions options;
    options.runFolder = record.snapshot.runFolder;
    options.resume = true;
    m_continues = m_experiment && m_snapshot->runFolder == record.snapshot.runFolder;
    Snapshot first = record.snapshot;
    first.state = RunState::Building;
    first.step = record.snapshot.checkpointed;
    first.failure.clear();
    first.frames.clear();
    if (m_continues)
        first.frames = m_snapshot->frames;
    begin(shown, record.experiment, options, std::make_shared<const Snapshot>(std::move(first)));
    if (shown.training.learningRate != m_rate)
        tellRate(shown.training.learningRate);
    std::vector<MetricRow> before = record.rows;
    std::erase_if(before, [&](const MetricRow& row) { return row.step > record.snapshot.checkpointed; });
    Q_EMIT metricsArrived(before);
    train(steps);
    tellOpen();
    poll();
}

void RunController::attach(const Experiment& experiment, std::unique_ptr<Session> session)
{
    Q_ASSERT(!isUnderWay());
    m_next.reset();
    m_continues = false;
    announce(experiment, experiment, {}, std::make_shared<const Snapshot>());
    follow(std::move(session));
    tellOpen();
    poll();
}

bool RunController::outlivesWindow() const
{
    const auto* remote = dynamic_cast<const RemoteSession*>(m_run.get());
    return remote != nullptr && remote->leavesRunning() && isUnderWay();
}

void RunController::folderMoved(const std::string& from, const std::string& to)
{
    if (folder() != from)
        return;
    m_folder = to;
    if (m_run)
        return m_run->folderMoved(to);
    Snapshot snapshot = *m_snapshot;
    snapshot.runFolder = to;
    m_snapshot = std::make_shared<const Snapshot>(std::move(snapshot));
    Q_EMIT snapshotChanged();
}

void RunController::pause()
{
    if (isUnderWay())
        m_run->pause();
}

void RunController::stop()
{
    if (m_next)
        forgetNext();
    if (isUnderWay())
        m_run->stop();
}

void RunController::checkpoint()
{
    if (isUnderWay())
        m_run->checkpoint();
}

void RunController::setLearningRate(double peak)
{
    if (isUnderWay())
        tellRate(peak);
}

void RunController::release()
{
    Q_ASSERT(!isUnderWay());
    m_timer.stop();
    m_next.reset();
    dropRun();
    announceState();
}

void RunController::forget()
{
    m_timer.stop();
    m_next.reset();
    dropRun();
    m_experiment.reset();
    m_reading.reset();
    m_folder.clear();
    m_isRecord = false;
    m_snapshot = std::make_shared<const Snapshot>();
    Q_EMIT runChanged();
    announceState();
}

/// Each query once, whoever asks it.
std::vector<LensQuery> RunController::open() const
{
    std::vector<LensQuery> queries;
    for (const auto& [asker, query] : m_askers)
        if (query && std::find(queries.begin(), queries.end(), *query) == queries.end())
            queries.push_back(*query);
    return queries;
}

/// A run that begins knows of none, and of no other reading than its experiment's.
void RunController::tellOpen()
{
    if (reading() != readingOfText(m_experiment->probeText))
        m_run->setReading(reading());
    if (auto queries = open(); !queries.empty())
        m_run->ask(std::move(queries));
}

void RunController::ask(const QObject& asker, std::optional<LensQuery> query)
{
    const std::vector<LensQuery> before = open();
    auto place = std::find_if(m_askers.begin(), m_askers.end(), [&](const auto& each) { return each.first == &asker; });
    if (place == m_askers.end()) {
        place = m_askers.emplace(m_askers.end(), &asker, std::nullopt);
        connect(&asker, &QObject::destroyed, this, [this](const QObject* gone) {
            ask(*gone, {});
            std::erase_if(m_askers, [&](const auto& each) { return each.first == gone; });
        });
    }
    place->second = std::move(query);
    const std::vector<LensQuery> now = open();
    if (now == before || !canBeAsked())
        return;
    m_run->ask(now);
}

void RunController::setReading(const ReadingRequest& reading)
{
    m_reading = reading;
    if (canBeAsked())
        m_run->setReading(reading);
}

ReadingRequest RunController::reading() const
{
    if (m_reading)
        return *m_reading;
    return m_experiment ? readingOfText(m_experiment->probeText) : ReadingRequest{};
}

void RunController::look()
{
    if (canBeAsked())
        m_run->look();
}

void RunController::sample(const std::string& prompt, std::int64_t tokens, const SamplingRule& rule)
{
    if (canBeAsked())
        m_run->sample(prompt, tokens, rule, ++m_samplesAsked);
}

bool RunController::isUnderWay() const
{
    return m_run && !hasEnded(state());
}

bool RunController::isTraining() const
{
    return m_run && (state() == RunState::Running || state() == RunState::Building);
}

/// A run names its device once its model is built; one that failed before has nothing to ask.
bool RunController::canBeAsked() const
{
    return m_run && m_snapshot->notOpened.empty() && (state() != RunState::Failed || !m_snapshot->device.empty());
}

/// What was drawn since the tick before takes processor time from training: the run counts it as its looks'.
void RunController::tellDrawn()
{
    const double now = threadSeconds(), spent = now - std::exchange(m_drawnUntil, now);
    if (!std::exchange(m_draws, false))
        m_otherwise += (spent - m_otherwise) / 8;
    else if (isTraining())
        m_run->drew(std::max(spent - m_otherwise, 0.0));
}

void RunController::poll()
{
    tellDrawn();
    const auto rows = m_run->takeMetrics();
    if (!rows.empty())
        Q_EMIT metricsArrived(rows);
    const auto newest = m_run->snapshot();
    const bool isComing = newest->state == RunState::Idle || newest->state == RunState::Building;
    if (newest != m_snapshot && !(isComing && state() == RunState::Building)) { // what is on disk says more
        m_draws = newest->frames != m_snapshot->frames;
        m_snapshot = newest;
        Q_EMIT snapshotChanged();
    }
    announceState();
    Q_EMIT ticked();
    if (nextMayBegin())
        beginNext();
    else if (!canBeAsked() && !m_next && rows.empty())
        m_timer.stop();
}

void RunController::announceState()
{
    const std::pair now(state(), canBeAsked());
    if (std::exchange(m_announced, now) != now)
        Q_EMIT stateChanged();
}

} // namespace unroll
