// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_report.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

namespace unroll {

namespace {

constexpr double kPublishEvery = 0.25; ///< seconds: figures that change faster cannot be read
constexpr std::size_t kLinesShown = 200;

/// Puts the diagnostic at the node with this path of names, "body.2.lstm": the name of a repeated group is followed by
/// the number of the copy, which is not a node of the document.
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

RunReport::RunReport(const Experiment& experiment, MetricQueue& metrics, SnapshotBox& box)
    : m_experiment(experiment), m_metrics(metrics), m_box(box)
{}

void RunReport::setState(RunState state)
{
    m_view.state = state;
    if (m_folder)
        m_folder->mark(state, state == RunState::Failed ? m_view.failure : std::string());
    publish(true);
}

void RunReport::publish(bool now)
{
    const double clock = m_training.seconds();
    if (!now && clock - m_published < kPublishEvery)
        return;
    m_published = clock;
    if (m_folder)
        for (const Error& trouble : m_folder->takeProblems())
            tellOnce(trouble);
    m_box.put(std::make_shared<const Snapshot>(m_view));
}

void RunReport::takeFolder(RunFolder folder)
{
    m_folder.emplace(std::move(folder));
    for (const std::string& line : m_view.log)
        m_folder->log(line);
}

void RunReport::folderMoved(const std::string& path)
{
    if (m_folder)
        m_folder->moved(path);
    m_view.runFolder = path;
    publish(true);
}

void RunReport::addRow(const StepReport& report, std::optional<double> loss, std::optional<double> norm)
{
    m_view.step = report.step;
    m_view.steps = std::max(m_experiment.training.steps, report.step);
    m_view.learningRate = report.learningRate;
    const double seconds = secondsTrained();
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

void RunReport::setRow(std::optional<MetricRow> row)
{
    m_row = std::move(row);
    m_rowIsDue = m_row.has_value();
}

MetricRow* RunReport::rowToKeep()
{
    if (!m_row)
        return nullptr;
    m_rowIsDue = true;
    return &*m_row;
}

void RunReport::sendRow()
{
    if (m_row && m_rowIsDue) {
        if (m_folder)
            m_folder->append(*m_row);
        m_metrics.push(std::move(*m_row));
    }
    m_row.reset();
}

void RunReport::addSample(const Sample& sample)
{
    m_view.samples.push_back(sample);
    if (m_view.samples.size() > Snapshot::kMostSamples)
        m_view.samples.erase(m_view.samples.begin());
    if (m_folder)
        m_folder->addSample(m_view.samples.back());
    publish(true);
}

void RunReport::note(const std::string& line)
{
    m_view.log.push_back(line);
    if (m_view.log.size() > kLinesShown)
        m_view.log.erase(m_view.log.begin());
    if (m_folder)
        m_folder->log(line);
}

void RunReport::problem(const std::string& code, const std::string& node, const std::string& sentence,
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

void RunReport::tellOnce(const Error& error)
{
    // A full disk says so once for each kind of file, not at every checkpoint.
    const std::string file = error.place.substr(error.place.rfind('/') + 1);
    if (m_told.insert(file + error.message).second)
        problem("run-folder", "", error.text());
}

} // namespace unroll
