// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/runner.h"

#include "core/format/atomic_file.h"
#include "core/train/labels.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace unroll {

namespace {

constexpr std::size_t kSamplesShown = 20;
constexpr std::size_t kCheckpointsKept = 3; ///< beside the best

bool isDue(std::int64_t step, std::int64_t every)
{
    return every > 0 && step % every == 0;
}

} // namespace

void Runner::duties()
{
    const TrainSettings& training = m_experiment.training;
    const std::int64_t step = m_trainer->stepsDone();
    const bool last = isLast();
    const bool evaluated = (last || m_best.closing || isDue(step, training.evaluateEvery)) && evaluate();
    if (wantsWork() && (m_data->classes() > 0 || tellsLabels()) && isDue(step, training.sampleEvery))
        sample({training.samplePrompt, training.sampleTokens, training.sampleTemperature,
                m_experiment.seed + static_cast<std::uint64_t>(step)});
    if (!wantsWork() || m_hurry.run.stop_requested())
        return;
    if (evaluated && (last || outOfPatience()))
        finish(RunState::Finished);
    else if ((evaluated && m_best.bestStep == step) || isDue(step, training.checkpointEvery))
        checkpoint();
}

/// False when it could not be brought to its end.
bool Runner::evaluate()
{
    if (!readReports())
        return false;
    const TrainSettings& training = m_experiment.training;
    if (isLast())
        m_best.closing = m_row;
    const auto slice = m_trainer->evaluate(this->slice(), m_hurry.run);
    if (!slice)
        return false;
    warnOfBad(*slice);
    addEvaluation("val/", *slice);
    keepConfusion(*slice);
    warnOfLeak(leakIn(*slice, m_view.entropyFloor, "validation"));
    if (slice->loss) // none was measured otherwise, better or not
        m_best.evaluationsSinceBest = noteBest(*slice->loss) ? 0 : m_best.evaluationsSinceBest + 1;
    else
        note(fmt::format("step {}: the evaluated slice contains no target, val/loss is n/a", m_trainer->stepsDone()));
    const bool early = !isLast() && outOfPatience();
    if (early) {
        m_best.closing = m_row;
        note(fmt::format("stopped early at step {}: {} evaluations without a better validation loss",
                         m_trainer->stepsDone(), m_best.evaluationsSinceBest));
    }
    if (m_best.closing && training.evaluateWhole) {
        const auto whole = m_trainer->evaluate(m_trainer->portion(Split::Validation), m_hurry.run);
        if (!whole)
            return false;
        warnOfBad(*whole);
        warnOfLeak(leakIn(*whole, m_view.finalFloor, "validation"));
        addEvaluation("final/", *whole);
        keepConfusion(*whole);
    }
    m_best.closing.reset();
    return true;
}

/// What is evaluated on the way.
Portion Runner::slice() const
{
    return m_trainer->portion(Split::Validation, m_experiment.training.evaluateBatches);
}

void Runner::warnOfLeak(const std::string& sentence)
{
    if (!sentence.empty() && m_told.insert("leak").second)
        problem("leak", "", sentence, {}, Severity::Warning);
}

bool Runner::noteBest(double loss)
{
    const bool better = std::isfinite(loss) && (m_best.bestStep == 0 || loss < m_best.bestValidationLoss);
    if (better) {
        m_best.bestValidationLoss = loss;
        m_best.bestStep = m_trainer->stepsDone();
    }
    m_view.bestValidationLoss = m_best.bestValidationLoss;
    m_view.bestStep = m_best.bestStep;
    return better;
}

bool Runner::outOfPatience() const
{
    const std::int64_t patience = m_experiment.training.patience;
    return patience > 0 && m_best.evaluationsSinceBest >= patience;
}

void Runner::addEvaluation(const std::string& prefix, const Evaluation& evaluation)
{
    if (!m_row)
        return;
    m_rowIsDue = true;
    if (!evaluation.loss)
        return;
    m_row->values[prefix + "loss"] = *evaluation.loss;
    if (m_data->classes() == 0 && !tellsLabels()) // the loss of numbers is no probability
        return;
    if (!tellsLabels()) { // bits and choices are of the next token
        m_row->values[prefix + "bpc"] = *evaluation.loss / std::numbers::ln2;
        m_row->values[prefix + "ppl"] = std::exp(*evaluation.loss);
    }
    if (evaluation.accuracy)
        m_row->values[prefix + "acc"] = *evaluation.accuracy;
}

/// Whether each sequence has a label of its own, which is told in the place of text.
bool Runner::tellsLabels() const
{
    return !m_data->labels().empty();
}

Result<std::string> Runner::labelled(const std::string& text)
{
    const auto words = labelOfText(*m_model, *m_data, m_data->labels(), text);
    return words ? fmt::format("{}\n  predicted {}", text, *words) : words;
}

/// How often each label was predicted for each when the run was evaluated last.
void Runner::keepConfusion(const Evaluation& evaluation)
{
    if (!m_folder || evaluation.confusion.empty())
        return;
    const auto file = m_folder->path() / "confusion.csv";
    if (auto written = format::writeFileAtomically(
            file, confusionCsv(m_trainer->stepsDone(), Split::Validation, m_data->labels(), evaluation.confusion));
        !written)
        tellOnce(written.error());
}

void Runner::sample(const SampleRequest& request)
{
    if (!m_model)
        return;
    const bool asksText = !request.prompt.empty() && m_data->classes() > 0;
    auto text = !tellsLabels() ? sampleText(*m_model, *m_data, request, m_hurry.run)
                : asksText     ? labelled(request.prompt)
                               : labelsInValidation(*m_model, *m_data, request.seed);
    if (m_hurry.run.stop_requested())
        return;
    if (!text) {
        note("no sample: " + text.error().text());
        return;
    }
    m_view.samples.push_back({m_trainer->stepsDone(), *text});
    if (m_view.samples.size() > kSamplesShown)
        m_view.samples.erase(m_view.samples.begin());
    if (m_folder)
        m_folder->addSample(m_view.samples.back());
    publish(true);
}

RunProgress Runner::progress() const
{
    const TrainerState state = m_trainer->state();
    RunProgress result = m_best;
    result.step = state.step;
    result.tokens = state.tokens;
    result.seconds = m_secondsBefore + m_training.seconds();
    result.peakLearningRate = state.peakLearningRate;
    result.plan = state.plan;
    result.learningRate = m_experiment.training.learningRate;
    result.streams = state.streams;
    return result;
}

Result<void> Runner::writeCheckpointFolder(std::int64_t step)
{
    RunCheckpoints& checkpoints = m_folder->checkpoints();
    auto folder = checkpoints.begin(step);
    if (!folder)
        return tl::unexpected(folder.error());
    if (auto written = writeCheckpoint(folder->string(), *m_model, *m_trainer, progress()); !written)
        return written;
    return checkpoints.finish(step, kCheckpointsKept);
}

void Runner::checkpoint()
{
    if (!m_trainer || m_state == RunState::Failed || !readReports() || !weightsAreFinite())
        return;
    saveCheckpoint();
}

void Runner::saveCheckpoint()
{
    const std::int64_t step = m_trainer->stepsDone();
    if (!m_folder || m_checkpointed == step)
        return;
    sendRow(); // a run that goes on from here has the row of its last step
    m_folder->sync();
    if (auto written = writeCheckpointFolder(step); written) {
        m_checkpointed = step;
        publish(true);
    } else {
        m_folder->checkpoints().discard(step);
        tellOnce(written.error());
    }
}

/// The answer stands in the snapshot whatever happens on the way.
void Runner::keepWeights()
{
    m_view.keptWeights.reset();
    m_view.notKept = "the weights can no longer be read";
    const std::string spoilt = m_trainer ? weightThatIsNotFinite(*m_model) : std::string();
    if (!m_trainer) {
        m_view.notKept = "there are no weights yet";
    } else if (!spoilt.empty()) {
        m_view.notKept = spoilt + " contains non-finite values";
    } else {
        const std::string run = m_options.runFolder.empty() ? "the previous run" : m_options.runFolder;
        m_view.keptWeights = std::make_shared<const KeptWeights>(
            unroll::keepWeights(*m_model, fmt::format("{}, step {}", run, m_trainer->stepsDone()), legendOf(*m_data)));
        m_view.notKept.clear();
    }
    publish(true);
}

} // namespace unroll
