// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_evaluation.h"

#include "core/format/atomic_file.h"
#include "core/train/labels.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace unroll {

RunEvaluation::RunEvaluation(const Experiment& experiment, RunParts& parts, RunReport& report)
    : m_experiment(experiment), m_parts(parts), m_report(report)
{}

bool RunEvaluation::isLast() const
{
    return m_parts.trainer->stepsDone() == m_experiment.training.steps;
}

bool RunEvaluation::evaluate(const std::stop_token& stop)
{
    RunProgress& progress = m_parts.progress;
    const std::int64_t step = m_parts.trainer->stepsDone();
    if (!m_parts.trainer->align())
        m_report.note(
            fmt::format("after step {} the ranks' weights differed in their last bits, as they do between processors "
                        "or thread counts that round differently. All continue with those of rank 0",
                        step));
    if (isLast())
        progress.closing = m_report.row();
    const auto slice = m_parts.trainer->evaluate(evaluatedSlice(m_parts, m_experiment.training), stop);
    if (!slice)
        return false;
    warnOfBad(*slice);
    addToRow("val/", *slice);
    keepConfusion(*slice);
    warnOfLeak(leakIn(*slice, m_report.view().entropyFloor, "validation"));
    if (slice->loss) // none was measured otherwise, better or not
        progress.evaluationsSinceBest = noteBest(*slice->loss) ? 0 : progress.evaluationsSinceBest + 1;
    else
        m_report.note(fmt::format("step {}: the evaluated slice contains no target, val/loss is n/a", step));
    const bool early = !isLast() && outOfPatience(progress, m_experiment.training);
    if (early) {
        progress.closing = m_report.row();
        m_report.note(fmt::format("stopped early at step {}: {} evaluations without a better validation loss", step,
                                  progress.evaluationsSinceBest));
    }
    if (progress.closing && m_experiment.training.evaluateWhole && !evaluateWhole(stop))
        return false;
    progress.closing.reset();
    return true;
}

bool RunEvaluation::evaluateWhole(const std::stop_token& stop)
{
    const auto whole = m_parts.trainer->evaluate(m_parts.trainer->portion(Split::Validation), stop);
    if (!whole)
        return false;
    warnOfBad(*whole);
    warnOfLeak(leakIn(*whole, m_report.view().finalFloor, "validation"));
    addToRow("final/", *whole);
    keepConfusion(*whole);
    return true;
}

/// A validation loss that is not a number ends no run: training's own sequences may be shorter. Once for each node.
void RunEvaluation::warnOfBad(const Evaluation& evaluation)
{
    if (evaluation.bad && m_report.isFirst("validation " + evaluation.bad->node))
        m_report.problem("validation-not-finite", evaluation.bad->node,
                         "the validation loss is not a number: " + evaluation.bad->sentence, {}, Severity::Warning);
}

void RunEvaluation::warnOfLeak(const std::string& sentence)
{
    if (!sentence.empty() && m_report.isFirst("leak"))
        m_report.problem("leak", "", sentence, {}, Severity::Warning);
}

bool RunEvaluation::noteBest(double loss)
{
    RunProgress& progress = m_parts.progress;
    const bool better = std::isfinite(loss) && (progress.bestStep == 0 || loss < progress.bestValidationLoss);
    if (better) {
        progress.bestValidationLoss = loss;
        progress.bestStep = m_parts.trainer->stepsDone();
    }
    m_report.view().bestValidationLoss = progress.bestValidationLoss;
    m_report.view().bestStep = progress.bestStep;
    return better;
}

void RunEvaluation::addToRow(const std::string& prefix, const Evaluation& evaluation)
{
    MetricRow* const row = m_report.rowToKeep();
    if (row == nullptr || !evaluation.loss)
        return;
    row->values[prefix + "loss"] = *evaluation.loss;
    if (m_parts.data->classes() == 0 && !m_parts.tellsLabels()) // the loss of numbers is not a probability
        return;
    if (m_report.view().measures.isCharacterLoss())
        row->values[prefix + "bpc"] = *evaluation.loss / std::numbers::ln2;
    if (!m_parts.tellsLabels()) // choices are of the next token
        row->values[prefix + "ppl"] = std::exp(*evaluation.loss);
    if (evaluation.accuracy)
        row->values[prefix + "acc"] = *evaluation.accuracy;
}

/// How often each label was predicted for each when the run was evaluated last.
void RunEvaluation::keepConfusion(const Evaluation& evaluation)
{
    const RunFolder* const folder = m_report.folder();
    if (folder == nullptr || evaluation.confusion.empty())
        return;
    const std::string table =
        confusionCsv(m_parts.trainer->stepsDone(), Split::Validation, m_parts.data->labels(), evaluation.confusion);
    if (auto written = format::writeFileAtomically(folder->path() / "confusion.csv", table); !written)
        m_report.tellOnce(written.error());
}

} // namespace unroll
