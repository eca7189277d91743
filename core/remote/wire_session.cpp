// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of lenses, rows and options of wire_values.h.
#include "core/frames/figure_tensors.h"
#include "core/frames/kept_frame.h"
#include "core/lens/packing.h"
#include "core/remote/wire_values.h"

#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace unroll {

namespace {

struct MetricColumn {
    std::vector<std::int64_t> rows;
    std::vector<double> values;
};

std::shared_ptr<const LensData> figureDataFrom(const MemberReader& members)
{
    auto figure = figureFrom(tensorsFrom(members, "figure"));
    if (figure)
        return std::make_shared<const KeptFigure>(std::move(*figure));
    members.wrong("figure");
    return nullptr;
}

} // namespace

Json lensFrameJson(const LensFrame& frame, BlockWriter& blocks)
{
    Json json{JsonObject{}};
    json.add("query", queryJson(frame.query));
    json.add("step", frame.step);
    json.add("trouble", frame.trouble);
    json.add("reading", frame.reading);
    json.add("source", frame.source);
    if (!frame.data)
        return json;
    const LensPacking* packing = findLensPacking(frame.query.lens);
    Json packed = packing != nullptr ? packing->pack(*frame.data, blocks) : Json();
    if (!packed.isNull())
        json.add("data", std::move(packed));
    else
        json.add("figure", tensorsJson(figureTensors(frame.data->figure(), true), blocks));
    return json;
}

LensFrame lensFrameFrom(const MemberReader& members)
{
    LensFrame frame;
    members.inside("query", [&](const MemberReader& query) { frame.query = queryFrom(query); });
    frame.step = members.whole("step");
    frame.trouble = members.text("trouble");
    frame.reading = members.text("reading");
    frame.source = members.text("source");
    if (members.has("figure"))
        frame.data = figureDataFrom(members);
    members.inside("data", [&](const MemberReader& data) {
        if (const LensPacking* packing = findLensPacking(frame.query.lens))
            frame.data = packing->unpack(data);
        else
            members.wrong("data");
    });
    return frame;
}

Json rowsJson(std::span<const MetricRow> rows, BlockWriter& blocks)
{
    std::vector<std::int64_t> steps, tokens;
    std::vector<double> seconds;
    std::map<std::string, MetricColumn> columns;
    for (const MetricRow& row : rows) {
        for (const auto& [name, value] : row.values) {
            columns[name].rows.push_back(std::ssize(steps));
            columns[name].values.push_back(value);
        }
        steps.push_back(row.step);
        tokens.push_back(row.tokens);
        seconds.push_back(row.seconds);
    }
    Json json{JsonObject{}}, metrics{JsonArray{}};
    json.add("steps", blocks.put(std::span<const std::int64_t>(steps)));
    json.add("tokens", blocks.put(std::span<const std::int64_t>(tokens)));
    json.add("seconds", blocks.put(std::span<const double>(seconds)));
    for (const auto& [name, column] : columns) {
        Json metric{JsonObject{}};
        metric.add("name", name);
        metric.add("rows", blocks.put(std::span<const std::int64_t>(column.rows)));
        metric.add("values", blocks.put(std::span<const double>(column.values)));
        metrics.push(std::move(metric));
    }
    json.add("metrics", std::move(metrics));
    return json;
}

std::vector<MetricRow> rowsFrom(const MemberReader& members)
{
    const auto steps = members.wholes("steps"), tokens = members.wholes("tokens");
    const auto seconds = members.doubles("seconds");
    if (tokens.size() != steps.size() || seconds.size() != steps.size()) {
        members.wrong("rows");
        return {};
    }
    std::vector<MetricRow> rows(steps.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = {steps[i], tokens[i], seconds[i], {}};
    (void)members.each("metrics", [&](const MemberReader& metric) {
        const std::string name = metric.text("name");
        const auto places = metric.wholes("rows");
        const auto values = metric.doubles("values");
        for (std::size_t i = 0; i < places.size() && i < values.size(); ++i)
            if (places[i] >= 0 && places[i] < std::ssize(rows))
                rows[static_cast<std::size_t>(places[i])].values[name] = values[i];
            else
                metric.wrong("rows");
        return places.size() == values.size();
    });
    return rows;
}

Json optionsJson(const SessionOptions& options, BlockWriter& blocks)
{
    Json json{JsonObject{}};
    json.add("run_folder", options.runFolder);
    json.add("resume", options.resume);
    if (options.schedule)
        json.add("schedule", static_cast<int>(*options.schedule));
    json.add("anew", options.anew);
    json.add("tags", wordsJson(options.tags));
    json.add("trial", options.trial);
    json.add("initial_weights", options.initialWeights);
    if (options.keptWeights)
        json.add("kept_weights", keptWeightsJson(*options.keptWeights, blocks));
    json.add("checkpoint", options.checkpoint);
    json.add("behind_window", options.behindWindow);
    json.add("look_budget", options.lookBudget);
    json.add("keeps_summaries", options.keepsSummaries);
    json.add("summaries_every", options.summariesEvery);
    return json;
}

SessionOptions optionsFrom(const MemberReader& members)
{
    SessionOptions options;
    options.runFolder = members.text("run_folder");
    options.resume = members.flag("resume");
    if (members.has("schedule"))
        options.schedule = members.kind("schedule", Continuation::Restart);
    options.anew = members.flag("anew");
    options.tags = members.texts("tags");
    options.trial = members.text("trial");
    options.initialWeights = members.text("initial_weights");
    members.inside("kept_weights", [&](const MemberReader& kept) {
        options.keptWeights = std::make_shared<const KeptWeights>(keptWeightsFrom(kept));
    });
    if (const std::string checkpoint = members.text("checkpoint"); !checkpoint.empty())
        options.checkpoint = checkpoint;
    options.behindWindow = members.flag("behind_window", true);
    options.lookBudget = members.real("look_budget", options.lookBudget);
    options.keepsSummaries = members.flag("keeps_summaries");
    options.summariesEvery = members.whole("summaries_every");
    return options;
}

} // namespace unroll
