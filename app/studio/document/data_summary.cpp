// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/data_summary.h"

#include "core/check/check.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/experiment.h"

#include <algorithm>

namespace unroll {

namespace {

DataSummary::Part partOf(const Dataset& data, Split split)
{
    return {data.tokensIn(split), data.decode(data.beginning(split, DataSummary::kShownTokens))};
}

/// A warning, or a note with a remedy: the problems of the node have it, with the button.
bool asksForMore(const DataNote& note)
{
    return note.warning || !note.settings.empty();
}

DataSummary summaryOf(const Dataset& data)
{
    DataSummary summary;
    summary.description = data.describe();
    for (const DataNote& note : data.notes())
        if (!asksForMore(note))
            summary.notices.push_back(note.sentence);
    summary.classes = data.classes();
    summary.labels = data.alphabet();
    if (summary.labels.size() > DataSummary::kShownLabels)
        summary.labels.resize(DataSummary::kShownLabels);
    summary.training = partOf(data, Split::Train);
    summary.validation = partOf(data, Split::Validation);
    summary.floor = data.entropyFloor({Split::Validation});
    summary.baseline = data.baseline({Split::Validation});
    summary.noBaseline = summary.baseline ? "" : data.whyNoBaseline({Split::Validation});
    summary.columns = data.columns();
    summary.hiddenColumns = summary.columns.size() - std::min(summary.columns.size(), DataSummary::kShownColumns);
    summary.columns.resize(summary.columns.size() - summary.hiddenColumns);
    return summary;
}

/// The check has said why it gives nothing.
std::string errorAt(NodeId id, const CheckedGraph& checked)
{
    for (const Diagnostic& diagnostic : checked.diagnostics)
        if (diagnostic.node == id && diagnostic.group.empty() && diagnostic.severity == Severity::Error)
            return diagnostic.sentence;
    return "";
}

/// The error names the first character that is missing.
std::string troubleOf(const std::string& probeText, const Dataset& data)
{
    const auto encoded = data.encode(probeText);
    return encoded ? "" : encoded.error().text();
}

std::shared_ptr<const DataSummary> withGiven(DataSummary summary, const Params& given, std::string probeTrouble = {})
{
    summary.given = given;
    summary.probeTrouble = std::move(probeTrouble);
    return std::make_shared<const DataSummary>(std::move(summary));
}

} // namespace

DataSummaries DataReader::read(const Experiment& experiment, const CheckedGraph& checked)
{
    DataSummaries summaries;
    for (const auto& [id, node] : checked.nodes)
        if (node.spec != nullptr && node.spec->category == Category::Data)
            summaries[id] = readNode(id, experiment, checked);
    std::erase_if(m_last, [&](const auto& last) { return !summaries.contains(last.first); });
    return summaries;
}

std::shared_ptr<const DataSummary> DataReader::readNode(NodeId id, const Experiment& experiment,
                                                        const CheckedGraph& checked)
{
    const CheckedNode& node = checked.nodes.at(id);
    const Params& given = experiment.graph.find(id)->params;
    if (node.outputs.empty()) // it has a mistake, and was not opened
        return withGiven({.error = errorAt(id, checked)}, given);
    const auto data = m_cache.open(node.spec->id, node.params, experiment.folder);
    if (!data)
        return withGiven({.error = data.error().text()}, given);
    const std::string trouble = troubleOf(experiment.probeText, **data);
    Read& last = m_last[id];
    if (last.data.lock() != *data)
        last = {*data, withGiven(summaryOf(**data), given, trouble)};
    else if (!(last.summary->given == given) || last.summary->probeTrouble != trouble)
        last.summary = withGiven(*last.summary, given, trouble);
    return last.summary;
}

} // namespace unroll
