// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_loop.h"

#include "core/base/number_text.h"
#include "core/experiment/remedies.h"
#include "core/session/run_samples.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace unroll {

namespace {

constexpr std::size_t kReportsOnDevice = 8; ///< losses a GPU keeps before they are read together

bool isDue(std::int64_t step, std::int64_t every)
{
    return every > 0 && step % every == 0;
}

bool leads(const SessionOptions& options)
{
    return !options.ranks || options.ranks->rank == 0;
}

} // namespace

RunLoop::RunLoop(const Experiment& experiment, const SessionOptions& options, RunParts& parts, RunReport& report,
                 Hurry hurry)
    : m_experiment(experiment),
      m_options(options),
      m_parts(parts),
      m_report(report),
      m_hurry(std::move(hurry)),
      m_checkpoints(experiment, options, parts, report),
      m_evaluation(experiment, parts, report),
      m_looks(parts, report, kTimedPart * options.lookBudget,
              KeptSummaries{options.keepsSummaries && !options.ended && leads(options), options.summariesEvery},
              m_hurry.session)
{
    if (options.ended)
        m_hurry.run = m_hurry.session; // there is no training to end
}

void RunLoop::advance()
{
    m_report.startClock();
    if (m_parts.progress.closing)
        m_isWhole = false;
    else if (!update())
        return;
    duties();
    m_isWhole = true;
    m_report.sendRow(); // not with the next step, which may be long in coming
    m_looks.lookIfDue();
    followWishes();
    if (wantsWork() && m_stepsWanted == 0)
        rest();
    m_report.publish(false);
}

/// One step of the optimizer; false when it ended the run, or when the run is to end before it.
bool RunLoop::update()
{
    m_looks.beforeUpdate(m_parts.trainer->stepsDone() + 1 == m_experiment.training.steps);
    auto report = m_parts.trainer->step(m_hurry.run);
    if (!report)
        return false;
    m_isWhole = false;
    m_wishes = report->wishes;
    m_reports.push_back(std::move(*report));
    const bool onCpu = m_parts.model->device().is_cpu();
    const bool pausing = m_stepsWanted > 0 && --m_stepsWanted == 0;
    if (onCpu || pausing || m_reports.size() >= kReportsOnDevice || m_parts.trainer->done())
        return readReports();
    return true;
}

bool RunLoop::readReports()
{
    for (const StepReport& report : m_reports) {
        if (!report.learned) {
            m_report.addRow(report, {}, {});
            noteEmpty(report);
            continue;
        }
        const double loss = report.loss.item<double>();
        const double norm = report.gradientNorm.item<double>();
        if (!std::isfinite(loss) || !std::isfinite(norm)) {
            failOnBadNumber(report);
            return false;
        }
        m_report.addRow(report, loss, norm);
        warnOfLimits(report);
    }
    m_reports.clear();
    return true;
}

/// The first of them in this session; how many there were is said at the end.
void RunLoop::noteEmpty(const StepReport& report)
{
    ++m_parts.progress.emptyUpdates;
    if (m_report.isFirst("an update without targets"))
        m_report.note(fmt::format("update {} has no target: weights are unchanged, its loss is n/a", report.step));
}

/// Once for each signal of each node.
void RunLoop::warnOfLimits(const StepReport& report)
{
    for (const SignalPeak& peak : report.peaks) {
        const auto& [node, signal] = peak.signal;
        const bool within = peak.most.item<double>() <= signal->limit->most; // NaN is not: it has overflowed
        if (!within && m_report.isFirst(node + "." + signal->name))
            m_report.problem("limit-passed", node, fmt::format("at step {} {}", report.step, signal->limit->sentence),
                             lowerLearningRate(m_parts.trainer->peakLearningRate()), Severity::Warning);
    }
}

void RunLoop::duties()
{
    const TrainSettings& training = m_experiment.training;
    const std::int64_t step = m_parts.trainer->stepsDone();
    const bool last = step == training.steps;
    const bool evaluated = (last || m_parts.progress.closing || isDue(step, training.evaluateEvery)) && readReports() &&
                           m_evaluation.evaluate(m_hurry.run);
    if (wantsWork() && (m_parts.data->classes() > 0 || m_parts.tellsLabels()) && isDue(step, training.sampleEvery))
        sample({training.samplePrompt, training.sampleTokens, training.samplingRule(),
                m_experiment.seed + static_cast<std::uint64_t>(step)});
    if (!wantsWork() || m_hurry.run.stop_requested())
        return;
    if (evaluated && (last || outOfPatience(m_parts.progress, training)))
        finish(RunState::Finished);
    else if ((evaluated && m_parts.progress.bestStep == step) || isDue(step, training.checkpointEvery))
        save();
}

void RunLoop::sample(const SampleRequest& request)
{
    if (m_parts.trainer && m_parts.leads())
        takeSample(m_parts, request, m_hurry.run, m_report);
}

void RunLoop::finish(RunState state)
{
    m_report.stopClock();
    m_report.sendRow();
    if (m_parts.progress.emptyUpdates > 0)
        m_report.note(fmt::format("{} of {} had no target and changed no weight",
                                  grouped(m_parts.progress.emptyUpdates),
                                  counted(m_parts.trainer->stepsDone(), "update")));
    if (state == RunState::Finished)
        m_looks.keepLastSummaries();
    if (state != RunState::Failed)
        save();
    noteTraffic();
    m_hurry.run = m_hurry.session;  // the model may still be asked
    if (hasEnded(m_report.state())) // the checkpoint found non-finite weights
        return;
    if (state != RunState::Failed) {
        m_looks.freshen(m_parts.trainer->stepsDone());
        m_report.view().canGoOn =
            !m_parts.progress.closing; // whose row is written already: it is cut when the run is opened again
    }
    m_report.setState(state);
}

/// What ranks have sent one another.
void RunLoop::noteTraffic()
{
    if (!m_parts.ranks)
        return;
    const GroupTraffic traffic = m_parts.ranks->group().traffic();
    const double share = m_report.secondsHere() > 0 ? traffic.seconds / m_report.secondsHere() : 0;
    RankFigures& figures = m_report.view().ranks;
    figures.bytes = m_parts.ranks->bytesOfUpdate();
    figures.seconds = traffic.seconds;
    m_report.note(
        fmt::format("{} ranks ({}): each contributes {} to the sums of an update; {:.1f} % of the time in sums, "
                    "waiting included",
                    figures.count, m_parts.ranks->group().backend(),
                    sizeText(static_cast<std::uint64_t>(figures.bytes)), 100 * share));
}

void RunLoop::close()
{
    if (m_parts.ranks) // the others are not asked: what is to be kept is kept before
        return;
    if (hasEnded(m_report.state()))
        save(); // there may be room on the disk by now
    else if (m_parts.trainer)
        stop();
}

bool RunLoop::mayTrain() const
{
    return m_parts.trainer && !m_options.ended && (!hasEnded(m_report.state()) || m_report.view().canGoOn);
}

void RunLoop::run(std::stop_token hurry)
{
    if (!mayTrain())
        return;
    if (!m_parts.trainer->done() || m_parts.progress.closing)
        return train(-1, std::move(hurry));
    if (!hasEnded(m_report.state())) // it was taken beyond its plan, step by step
        finish(RunState::Finished);
}

void RunLoop::step(std::int64_t count, std::stop_token hurry)
{
    if (mayTrain() && count > 0)
        train(count, std::move(hurry));
}

/// What ended the run is over.
void RunLoop::train(std::int64_t count, std::stop_token hurry)
{
    if (hasEnded(m_report.state())) {
        m_report.view().canGoOn = false;
        if (outOfPatience(m_parts.progress, m_experiment.training))
            m_parts.progress.evaluationsSinceBest = 0;
        m_report.note(fmt::format("continues after step {}", m_parts.trainer->stepsDone()));
    }
    m_hurry.run = m_parts.ranks ? std::stop_token() : std::move(hurry); // nothing is interrupted on one rank alone
    m_stepsWanted = count;
    m_report.setState(RunState::Running);
}

/// While ranks train, what one is asked all have to hear of first.
bool RunLoop::asksAll() const
{
    return m_parts.ranks && wantsWork();
}

void RunLoop::followWishes()
{
    const Wishes wishes = std::exchange(m_wishes, {});
    if (!wantsWork())
        return;
    if (wishes.learningRate)
        changeRate(*wishes.learningRate);
    if (wishes.checkpoint)
        save();
    if (wishes.stop)
        end();
    else if (wishes.pause)
        rest();
}

void RunLoop::pause()
{
    if (asksAll())
        m_parts.ranks->wishes().pause = true;
    else
        rest();
}

void RunLoop::rest()
{
    if (!wantsWork())
        return;
    m_report.stopClock();
    if (!readReports())
        return;
    m_report.sendRow();
    m_looks.freshen(m_parts.trainer->stepsDone());
    m_report.setState(RunState::Paused);
}

void RunLoop::stop()
{
    if (asksAll())
        m_parts.ranks->wishes().stop = true;
    else
        end();
}

void RunLoop::end()
{
    if (hasEnded(m_report.state()) || !m_parts.trainer || !readReports())
        return;
    m_report.note(fmt::format("stopped at step {}", m_parts.trainer->stepsDone()));
    finish(RunState::Stopped);
}

void RunLoop::setLearningRate(double peak)
{
    if (!m_parts.trainer || !(peak >= 0))
        return;
    if (asksAll())
        m_parts.ranks->wishes().learningRate = peak;
    else
        changeRate(peak);
}

void RunLoop::changeRate(double peak)
{
    m_parts.trainer->setPeakLearningRate(peak);
    m_report.note(fmt::format("learning rate set to {} after step {}", peak, m_parts.trainer->stepsDone()));
}

void RunLoop::checkpoint()
{
    if (asksAll())
        m_parts.ranks->wishes().checkpoint = true;
    else
        save();
}

void RunLoop::save()
{
    if (m_parts.trainer && m_report.state() != RunState::Failed && readReports() && weightsAreFinite())
        m_checkpoints.save();
}

bool RunLoop::weightsAreFinite()
{
    const auto weight = badWeight(m_parts.model->weights(), "optimizer step");
    if (!weight)
        return true;
    const BadNode bad = weight->at(fmt::format("after step {}", m_parts.trainer->stepsDone()));
    failNotFinite(bad, bad.sentence);
    return false;
}

void RunLoop::rescue()
{
    if (!m_parts.trainer || hasEnded(m_report.state()))
        return;
    m_parts.trainer->rewind(m_parts.trainer->stepsDone());
    if (!m_parts.ranks)
        save();
    else if (m_isWhole && readReports()) // else the evaluation of this step would be lost
        m_checkpoints.saveAlone();
}

void RunLoop::fail(const std::string& what, const std::string& code)
{
    const std::string node = m_parts.model ? m_parts.model->runningNode() : std::string();
    const std::string sentence = what + m_checkpoints.keptText();
    if (m_parts.trainer && code != "gpu-lost")
        m_looks.freshen(m_parts.trainer->stepsDone());
    if (m_parts.ranks && code != "peer-lost")
        m_parts.ranks->group().leave(sentence);
    m_report.problem(code, node, sentence, remedy(code));
    m_report.view().failure = node.empty() ? sentence : fmt::format("{}: {}", node, sentence);
    m_reports.clear();
    m_report.stopClock();
    m_report.sendRow();
    m_report.setState(RunState::Failed);
}

std::optional<Fix> RunLoop::remedy(const std::string& code) const
{
    const bool onGpu = m_parts.model && !m_parts.model->device().is_cpu();
    if (code == "gpu-lost")
        return useCpu();
    if (code != "out-of-memory")
        return {};
    auto smaller = halveBatch(m_experiment.training);
    return smaller || !onGpu ? smaller : useCpu();
}

/// Weights and moments have held still since the step before: that one is kept.
void RunLoop::failOnBadNumber(StepReport report) // a copy: the reports go
{
    m_reports.clear();
    m_report.sendRow();
    m_looks.freshen(report.step, RunLooks::Heavy::Now); // before anything is taken back: what it has come to
    BadNode bad = m_parts.trainer->findBadNode(report.step - 1);
    report.peaks = std::move(bad.peaks);
    warnOfLimits(report);
    if (m_parts.trainer->rewind(report.step - 1) && !badWeight(m_parts.model->weights()))
        m_checkpoints.save();
    m_report.setRow(MetricRow{report.step, report.tokens, m_report.secondsTrained(), {{"train/loss", std::nan("")}}});
    failNotFinite(bad, fmt::format("{}; the weights from before step {} are kept", bad.sentence, report.step));
}

void RunLoop::failNotFinite(const BadNode& bad, const std::string& sentence)
{
    const std::string advice = bad.fromData ? "" : ". A lower learning rate or stronger clipping may help";
    m_report.problem("not-finite", bad.node, sentence + m_checkpoints.keptText() + advice,
                     bad.fromData ? std::nullopt : lowerLearningRate(m_parts.trainer->peakLearningRate()));
    m_report.view().failure = m_report.view().problems.back().sentence;
    finish(RunState::Failed);
}

} // namespace unroll
