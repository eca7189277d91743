// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong with a run: said at the node, with what may help, and what was learned is kept.
#include "core/session/runner.h"

#include "core/train/remedies.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

namespace unroll {

namespace {

/// Puts the diagnostic at the node with this path of names, "body.2.lstm": the name of a repeated group is followed by the
/// number of the copy, which is no node of the document.
void putAt(Diagnostic& diagnostic, const Graph& graph, const std::string& path)
{
    const Graph* level = &graph;
    std::istringstream names(path);
    for (std::string name; level != nullptr && std::getline(names, name, '.');) {
        const Node* node = level->findByName(name);
        if (node == nullptr)
            continue;
        if (diagnostic.node != 0)
            diagnostic.group.push_back(diagnostic.node);
        diagnostic.node = node->id;
        level = node->group ? node->group->graph.get() : nullptr;
    }
    const std::size_t dot = diagnostic.group.empty() ? std::string::npos : path.rfind('.');
    diagnostic.groupName = dot == std::string::npos ? std::string() : path.substr(0, dot);
    diagnostic.nodeName = dot == std::string::npos ? path : path.substr(dot + 1);
}

} // namespace

void Runner::problem(const std::string& code, const std::string& node, const std::string& sentence,
                     std::optional<Fix> fix, Severity severity)
{
    Diagnostic diagnostic;
    diagnostic.severity = severity;
    diagnostic.code = code;
    diagnostic.sentence = sentence;
    diagnostic.fix = std::move(fix);
    putAt(diagnostic, m_experiment.graph, node);
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

/// Once for each signal of each node.
void Runner::warnOfLimits(const StepReport& report)
{
    for (const SignalPeak& peak : report.peaks) {
        const auto& [node, signal] = peak.signal;
        const bool within = peak.most.item<double>() <= signal->limit->most; // NaN is not: it has overflowed
        if (!within && m_told.insert(node + "." + signal->name).second)
            problem("limit-passed", node, fmt::format("at step {} {}", report.step, signal->limit->sentence),
                    lowerLearningRate(m_trainer->peakLearningRate()), Severity::Warning);
    }
}

std::string Runner::keptCheckpoint() const
{
    return m_checkpointed >= 0 ? fmt::format("; the checkpoint of step {} was kept", m_checkpointed) : std::string();
}

std::optional<Fix> Runner::remedy(const std::string& code) const
{
    const bool onGpu = m_model && !m_model->device().is_cpu();
    if (code == "gpu-lost")
        return useCpu();
    if (code != "out-of-memory")
        return {};
    auto smaller = halveBatch(m_experiment.training);
    return smaller || !onGpu ? smaller : useCpu();
}

void Runner::rescue()
{
    if (!m_trainer || hasEnded(m_state))
        return;
    m_trainer->rewind(m_trainer->stepsDone());
    checkpoint();
}

void Runner::fail(const std::string& what, const std::string& code)
{
    if (m_options.ended)
        return giveUpEnded(what);
    const std::string node = m_model ? m_model->runningNode() : std::string();
    const std::string sentence = what + keptCheckpoint();
    if (m_trainer && code != "gpu-lost")
        freshen(m_trainer->stepsDone());
    problem(code, node, sentence, remedy(code));
    m_view.failure = node.empty() ? sentence : fmt::format("{}: {}", node, sentence);
    m_reports.clear();
    m_training.stop();
    sendRow();
    setState(RunState::Failed);
}

bool Runner::weightsAreFinite()
{
    const auto weight = badWeight(m_model->weights(), "optimizer step");
    if (!weight)
        return true;
    const BadNode bad = weight->at(fmt::format("after step {}", m_trainer->stepsDone()));
    failNotFinite(bad, bad.sentence);
    return false;
}

/// A validation loss that is no number ends no run: training's own sequences may be shorter. Once for each node.
void Runner::warnOfBad(const Evaluation& evaluation)
{
    if (evaluation.bad && m_told.insert("validation " + evaluation.bad->node).second)
        problem("validation-not-finite", evaluation.bad->node,
                "the validation loss is not a number: " + evaluation.bad->sentence, {}, Severity::Warning);
}

/// Weights and moments have held still since the step before: that one is kept.
void Runner::failOnBadNumber(StepReport report) // a copy: the reports go
{
    m_reports.clear();
    sendRow();
    freshen(report.step); // before anything is taken back: what it has come to
    BadNode bad = m_trainer->findBadNode(report.step - 1);
    report.peaks = std::move(bad.peaks);
    warnOfLimits(report);
    if (m_trainer->rewind(report.step - 1) && !badWeight(m_model->weights()))
        saveCheckpoint();
    m_row =
        MetricRow{report.step, report.tokens, m_secondsBefore + m_training.seconds(), {{"train/loss", std::nan("")}}};
    m_rowIsDue = true;
    failNotFinite(bad, fmt::format("{}; the weights from before step {} are kept", bad.sentence, report.step));
}

void Runner::failNotFinite(const BadNode& bad, const std::string& sentence)
{
    const std::string advice = bad.fromData ? "" : ". A lower learning rate or stronger clipping may help";
    problem("not-finite", bad.node, sentence + keptCheckpoint() + advice,
            bad.fromData ? std::nullopt : lowerLearningRate(m_trainer->peakLearningRate()));
    m_view.failure = m_view.problems.back().sentence;
    finish(RunState::Failed);
}

} // namespace unroll
