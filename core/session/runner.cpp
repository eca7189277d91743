// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace unroll {

namespace {

constexpr double kPublishEvery = 0.03;      ///< seconds; viewers poll every 33 ms
constexpr std::size_t kReportsOnDevice = 8; ///< losses a GPU keeps before they are read together
constexpr std::size_t kSamplesShown = 20;
constexpr std::size_t kLinesShown = 200;
constexpr std::size_t kCheckpointsKept = 3; ///< beside the best

template <class T>
void keepNewest(std::vector<T>& list, std::size_t count)
{
    if (list.size() > count)
        list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(count));
}

bool isDue(std::int64_t step, std::int64_t every)
{
    return every > 0 && step % every == 0;
}

} // namespace

Runner::Runner(Experiment experiment, const BlockRegistry& registry, Builders builders, SessionOptions options,
               MetricQueue& metrics, SnapshotBox& box)
    : m_experiment(std::move(experiment)),
      m_registry(registry),
      m_builders(std::move(builders)),
      m_options(std::move(options)),
      m_metrics(metrics),
      m_box(box)
{}

Runner::~Runner() = default;

void Runner::advance()
{
    m_training.start();
    m_reports.push_back(m_trainer->step());
    const bool onCpu = m_model->device().is_cpu();
    const bool pausing = m_stepsWanted > 0 && --m_stepsWanted == 0;
    if (onCpu || pausing || m_reports.size() >= kReportsOnDevice || m_trainer->done())
        if (!readReports())
            return;
    duties();
    probeIfWorthIt();
    if (wantsWork() && pausing)
        pause();
    publish(false);
}

bool Runner::readReports()
{
    for (const StepReport& report : m_reports) {
        const double loss = report.loss.item<double>();
        const double norm = report.gradientNorm.item<double>();
        if (!std::isfinite(loss) || !std::isfinite(norm)) {
            failOnBadNumber(report);
            return false;
        }
        addRow(report, loss, norm);
    }
    m_reports.clear();
    return true;
}

void Runner::addRow(const StepReport& report, double loss, double norm)
{
    m_view.step = report.step;
    m_view.learningRate = report.learningRate;
    const double seconds = m_secondsBefore + m_training.seconds();
    m_throughput.add(seconds, report.tokens);
    m_view.tokensPerSecond = m_throughput.perSecond();
    const double perStep = static_cast<double>(report.tokens) / static_cast<double>(report.step);
    const double left = static_cast<double>(m_view.steps - report.step) * perStep;
    m_view.secondsLeft = m_view.tokensPerSecond > 0 ? left / m_view.tokensPerSecond : 0;
    if (!isDue(report.step, m_experiment.training.logEvery) && !m_trainer->done())
        return;
    sendRow();
    m_row = MetricRow{report.step,
                      report.tokens,
                      seconds,
                      {{"train/loss", loss}, {"optim/lr", report.learningRate}, {"optim/grad_norm", norm}}};
    if (m_view.tokensPerSecond > 0)
        m_row->values["perf/tokens_per_s"] = m_view.tokensPerSecond;
}

void Runner::failOnBadNumber(const StepReport& report)
{
    m_reports.clear();
    sendRow();
    MetricRow row{report.step, report.tokens, m_secondsBefore + m_training.seconds(), {{"train/loss", std::nan("")}}};
    m_metrics.push(row);
    if (m_folder)
        m_folder->append(row);
    const BadNode bad = m_trainer->findBadNode(report.step - 1);
    const std::string kept =
        m_checkpointed >= 0 ? fmt::format("; the checkpoint of step {} is kept", m_checkpointed) : std::string();
    problem("not-finite", bad.node,
            fmt::format("at step {} {}; the weights are those from before it{}. A lower learning rate or stronger "
                        "clipping may help",
                        report.step, bad.sentence, kept));
    m_view.failure = m_view.problems.back().sentence;
    finish(RunState::Failed);
}

void Runner::duties()
{
    const TrainSettings& training = m_experiment.training;
    const std::int64_t step = m_trainer->stepsDone();
    if (isDue(step, training.evaluateEvery) && !m_trainer->done())
        evaluate();
    if (isDue(step, training.sampleEvery))
        sample({training.samplePrompt, training.sampleTokens, training.sampleTemperature,
                m_experiment.seed + static_cast<std::uint64_t>(step)});
    if (!wantsWork())
        return;
    if (m_trainer->done()) {
        evaluate();
        finish(RunState::Finished);
    } else if (isDue(step, training.checkpointEvery)) {
        checkpoint();
    }
}

void Runner::evaluate()
{
    if (!readReports())
        return;
    const TrainSettings& training = m_experiment.training;
    const Evaluation slice = m_trainer->evaluate(training.evaluateBatches);
    addEvaluation("val/", slice);
    const bool better = m_best.bestValidationLoss == 0 || slice.loss < m_best.bestValidationLoss;
    if (better) {
        m_best.bestValidationLoss = slice.loss;
        m_best.bestStep = m_trainer->stepsDone();
    }
    m_best.evaluationsSinceBest = better ? 0 : m_best.evaluationsSinceBest + 1;
    m_view.bestValidationLoss = m_best.bestValidationLoss;
    m_view.bestStep = m_best.bestStep;
    if (m_trainer->done() && training.evaluateWhole)
        addEvaluation("final/", m_trainer->evaluate(0));
    if (training.patience > 0 && m_best.evaluationsSinceBest >= training.patience && !m_trainer->done()) {
        note(fmt::format("stopped early at step {}: {} evaluations without a better validation loss",
                         m_trainer->stepsDone(), m_best.evaluationsSinceBest));
        if (training.evaluateWhole)
            addEvaluation("final/", m_trainer->evaluate(0));
        finish(RunState::Finished);
    }
}

void Runner::addEvaluation(const std::string& prefix, const Evaluation& evaluation)
{
    if (!m_row || evaluation.targets == 0)
        return;
    m_row->values[prefix + "loss"] = evaluation.loss;
    m_row->values[prefix + "bpc"] = evaluation.loss / std::numbers::ln2;
    m_row->values[prefix + "ppl"] = std::exp(evaluation.loss);
    m_row->values[prefix + "acc"] = evaluation.accuracy;
}

void Runner::sendRow()
{
    if (!m_row)
        return;
    if (m_folder)
        m_folder->append(*m_row);
    m_metrics.push(std::move(*m_row));
    m_row.reset();
}

void Runner::finish(RunState state)
{
    m_training.stop();
    sendRow();
    if (state != RunState::Failed)
        checkpoint();
    setState(state);
}

void Runner::close()
{
    if (m_trainer && !hasEnded(m_state))
        stop();
}

void Runner::run()
{
    if (hasEnded(m_state) || !m_trainer)
        return;
    m_stepsWanted = -1;
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
    setState(RunState::Paused);
}

void Runner::step(std::int64_t count)
{
    if (hasEnded(m_state) || !m_trainer || count <= 0)
        return;
    m_stepsWanted = count;
    setState(RunState::Running);
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

void Runner::watch(std::vector<WatchedSignal> watched)
{
    m_watched = std::move(watched);
    look();
}

void Runner::setProbeText(const std::string& text)
{
    if (!m_data)
        return;
    m_probeText = makeProbeText(*m_data, text);
    look();
}

void Runner::look()
{
    if (m_model && !m_watched.empty())
        probeNow();
}

void Runner::probeIfWorthIt()
{
    if (m_watched.empty() || !m_box.wasRead() || m_probeSeconds > m_options.lookBudget * m_training.seconds())
        return;
    probeNow();
}

void Runner::probeNow()
{
    Stopwatch watch;
    watch.start();
    m_view.probe = std::make_shared<const ProbeFrame>(probe(*m_model, m_probeText, m_watched, m_trainer->stepsDone()));
    m_probeSeconds += watch.seconds();
    publish(true);
}

void Runner::sample(const SampleRequest& request)
{
    if (!m_model)
        return;
    auto text = sampleText(*m_model, *m_data, request);
    if (!text) {
        note("no sample: " + text.error().text());
        return;
    }
    m_view.samples.push_back({m_trainer->stepsDone(), *text});
    keepNewest(m_view.samples, kSamplesShown);
    if (m_folder)
        m_folder->addSample(m_view.samples.back());
    publish(true);
}

RunProgress Runner::progress() const
{
    RunProgress result = m_best;
    result.step = m_trainer->stepsDone();
    result.tokens = m_trainer->tokensSeen();
    result.seconds = m_secondsBefore + m_training.seconds();
    result.peakLearningRate = m_trainer->peakLearningRate();
    return result;
}

Result<void> Runner::writeCheckpointFolder()
{
    RunCheckpoints& checkpoints = m_folder->checkpoints();
    const std::int64_t step = m_trainer->stepsDone();
    auto folder = checkpoints.begin(step);
    if (!folder)
        return tl::unexpected(folder.error());
    if (auto written = writeCheckpoint(folder->string(), *m_model, *m_trainer, progress()); !written)
        return written;
    if (auto finished = checkpoints.finish(step, kCheckpointsKept); !finished)
        return finished;
    if (m_best.bestStep == step)
        return checkpoints.markBest(step, m_best.bestValidationLoss);
    return {};
}

void Runner::checkpoint()
{
    if (!m_folder || !m_trainer || m_checkpointed == m_trainer->stepsDone())
        return;
    sendRow(); // a run that goes on from here has the row of its last step
    m_folder->sync();
    if (auto written = writeCheckpointFolder(); written)
        m_checkpointed = m_trainer->stepsDone();
    else
        tellOnce(written.error());
}

void Runner::setState(RunState state)
{
    m_state = state;
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
    m_box.put(std::make_shared<const Snapshot>(m_view));
}

void Runner::note(const std::string& line)
{
    m_view.log.push_back(line);
    keepNewest(m_view.log, kLinesShown);
    if (m_folder)
        m_folder->log(line);
}

void Runner::problem(const std::string& code, const std::string& node, const std::string& sentence)
{
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.sentence = sentence;
    diagnostic.nodeName = node;
    if (const Node* found = m_experiment.graph.findByName(node.substr(0, node.find('.'))))
        diagnostic.node = found->id;
    m_view.problems.push_back(std::move(diagnostic));
    note(sentence);
}

void Runner::tellOnce(const Error& error)
{
    // A full disk says so once for each kind of file, not at every checkpoint.
    const std::string file = error.place.substr(error.place.rfind('/') + 1);
    if (m_told.insert(file + error.message).second)
        problem("run-folder", "", error.text());
}

void Runner::fail(const std::string& what, const std::string& code)
{
    const std::string node = m_model ? m_model->runningNode() : std::string();
    problem(code, node, what);
    m_view.failure = node.empty() ? what : fmt::format("{}: {}", node, what);
    m_reports.clear();
    m_training.stop();
    sendRow();
    setState(RunState::Failed);
}

} // namespace unroll
