// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/runner.h"

#include "core/base/number_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kPublishEvery = 0.25;      ///< seconds: figures that change faster cannot be read
constexpr std::size_t kReportsOnDevice = 8; ///< losses a GPU keeps before they are read together
constexpr std::size_t kLinesShown = 200;

/// A run that rests goes on, for those who look at its folder.
RunPhase phaseOf(RunState state)
{
    switch (state) {
    case RunState::Finished: return RunPhase::Finished;
    case RunState::Stopped: return RunPhase::Stopped;
    case RunState::Failed: return RunPhase::Failed;
    case RunState::Idle:
    case RunState::Building:
    case RunState::Running:
    case RunState::Paused: break;
    }
    return RunPhase::Going;
}

} // namespace

Runner::Runner(Experiment experiment, const BlockRegistry& registry, Builders builders, SessionOptions options,
               MetricQueue& metrics, SnapshotBox& box, Hurry hurry)
    : m_experiment(std::move(experiment)),
      m_registry(registry),
      m_builders(std::move(builders)),
      m_options(std::move(options)),
      m_metrics(metrics),
      m_box(box),
      m_hurry(std::move(hurry))
{
    if (!m_options.ended)
        return;
    m_view = *m_options.ended;
    m_state = m_view.state;
    m_checkpointed = m_view.checkpointed;
    m_hurry.run = m_hurry.session; // there is no training to end
}

Runner::~Runner() = default;

void Runner::advance()
{
    m_training.start();
    if (!m_best.closing && !update())
        return;
    duties();
    sendRow(); // not with the next step, which may be long in coming
    probeIfWorthIt();
    if (wantsWork() && m_stepsWanted == 0)
        pause();
    publish(false);
}

/// One step of the optimizer; false when it ended the run, or when the run is to end before it.
bool Runner::update()
{
    auto report = m_trainer->step(m_hurry.run);
    if (!report)
        return false;
    m_reports.push_back(std::move(*report));
    const bool onCpu = m_model->device().is_cpu();
    const bool pausing = m_stepsWanted > 0 && --m_stepsWanted == 0;
    if (onCpu || pausing || m_reports.size() >= kReportsOnDevice || m_trainer->done())
        return readReports();
    return true;
}

bool Runner::readReports()
{
    for (const StepReport& report : m_reports) {
        if (!report.learned) {
            addRow(report, {}, {});
            noteEmpty(report);
            continue;
        }
        const double loss = report.loss.item<double>();
        const double norm = report.gradientNorm.item<double>();
        if (!std::isfinite(loss) || !std::isfinite(norm)) {
            failOnBadNumber(report);
            return false;
        }
        addRow(report, loss, norm);
        warnOfLimits(report);
    }
    m_reports.clear();
    return true;
}

/// The first of them in this session; how many there were is said at the end.
void Runner::noteEmpty(const StepReport& report)
{
    ++m_best.emptyUpdates;
    if (m_told.insert("an update without targets").second)
        note(fmt::format("update {} has no target: weights are unchanged, its loss is n/a", report.step));
}

void Runner::addRow(const StepReport& report, std::optional<double> loss, std::optional<double> norm)
{
    m_view.step = report.step;
    m_view.steps = std::max(m_experiment.training.steps, report.step);
    m_view.learningRate = report.learningRate;
    const double seconds = m_secondsBefore + m_training.seconds();
    m_throughput.add(seconds, report.tokens);
    m_view.tokensPerSecond = m_throughput.perSecond();
    const double perStep = static_cast<double>(report.tokens) / static_cast<double>(report.step);
    const double left = static_cast<double>(m_view.steps - report.step) * perStep;
    m_view.secondsLeft = m_view.tokensPerSecond > 0 ? left / m_view.tokensPerSecond : 0;
    sendRow();
    const TrainSettings& training = m_experiment.training;
    m_rowIsDue = report.step % training.logEvery == 0 || report.step >= training.steps;
    m_row = MetricRow{report.step, report.tokens, seconds, {{"optim/lr", report.learningRate}}};
    for (const auto& [name, value] : {std::pair("train/loss", loss), std::pair("optim/grad_norm", norm)})
        if (value)
            m_row->values[name] = *value;
    if (m_view.tokensPerSecond > 0)
        m_row->values["perf/tokens_per_s"] = m_view.tokensPerSecond;
}

void Runner::sendRow()
{
    if (m_row && m_rowIsDue) {
        if (m_folder)
            m_folder->append(*m_row);
        m_metrics.push(std::move(*m_row));
    }
    m_row.reset();
}

void Runner::finish(RunState state)
{
    m_training.stop();
    sendRow();
    if (m_best.emptyUpdates > 0)
        note(fmt::format("{} of {} had no target and changed no weight", grouped(m_best.emptyUpdates),
                         counted(m_trainer->stepsDone(), "update")));
    if (state != RunState::Failed)
        checkpoint();
    m_hurry.run = m_hurry.session; // the model may still be asked
    if (hasEnded(m_state))         // the checkpoint found the run spoiled
        return;
    if (state != RunState::Failed) {
        freshen(m_trainer->stepsDone());
        m_view.canGoOn = !m_best.closing; // whose row is written already: it is cut when the run is opened again
    }
    setState(state);
}

void Runner::close()
{
    if (hasEnded(m_state))
        checkpoint(); // there may be room on the disk by now
    else if (m_trainer)
        stop();
}

bool Runner::mayTrain() const
{
    return m_trainer && !m_options.ended && (!hasEnded(m_state) || m_view.canGoOn);
}

void Runner::run(std::stop_token hurry)
{
    if (!mayTrain())
        return;
    if (!m_trainer->done() || m_best.closing)
        return train(-1, std::move(hurry));
    if (!hasEnded(m_state)) // it was taken beyond its plan, step by step
        finish(RunState::Finished);
}

/// What ended the run is over.
void Runner::train(std::int64_t count, std::stop_token hurry)
{
    if (hasEnded(m_state)) {
        m_view.canGoOn = false;
        if (outOfPatience())
            m_best.evaluationsSinceBest = 0;
        note(fmt::format("continues after step {}", m_trainer->stepsDone()));
    }
    m_hurry.run = std::move(hurry);
    m_stepsWanted = count;
    setState(RunState::Running);
}

void Runner::pause()
{
    if (m_state != RunState::Running)
        return;
    m_training.stop();
    if (!readReports())
        return;
    sendRow();
    freshen(m_trainer->stepsDone());
    setState(RunState::Paused);
}

void Runner::step(std::int64_t count, std::stop_token hurry)
{
    if (mayTrain() && count > 0)
        train(count, std::move(hurry));
}

void Runner::stop()
{
    if (hasEnded(m_state) || !m_trainer || !readReports())
        return;
    note(fmt::format("stopped at step {}", m_trainer->stepsDone()));
    finish(RunState::Stopped);
}

void Runner::setLearningRate(double peak)
{
    if (!m_trainer || !(peak >= 0))
        return;
    m_trainer->setPeakLearningRate(peak);
    note(fmt::format("learning rate set to {} after step {}", peak, m_trainer->stepsDone()));
}

void Runner::setState(RunState state)
{
    m_state = state;
    if (m_folder)
        m_folder->mark(phaseOf(state), state == RunState::Failed ? m_view.failure : std::string());
    publish(true);
}

void Runner::folderMoved(const std::string& folder)
{
    if (m_view.runFolder.empty())
        return;
    if (m_folder)
        m_folder->moved(folder);
    m_view.runFolder = m_options.runFolder = folder;
    publish(true);
}

void Runner::publish(bool now)
{
    const double clock = m_training.seconds();
    if (!now && clock - m_published < kPublishEvery)
        return;
    m_published = clock;
    if (m_folder)
        for (const Error& trouble : m_folder->takeProblems())
            tellOnce(trouble);
    m_view.state = m_state;
    m_view.checkpointed = m_checkpointed;
    m_box.put(std::make_shared<const Snapshot>(m_view));
}

void Runner::note(const std::string& line)
{
    m_view.log.push_back(line);
    if (m_view.log.size() > kLinesShown)
        m_view.log.erase(m_view.log.begin());
    if (m_folder)
        m_folder->log(line);
}

} // namespace unroll
