// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/kept_frames.h"

#include "app/cli/lens_request.h"
#include "app/cli/terminal.h"

#include "core/base/home_path.h"
#include "core/base/nearest.h"
#include "core/base/number_text.h"
#include "core/frames/figure_strip.h"
#include "core/graph/graph_text.h"
#include "core/runs/frames_place.h"
#include "core/runs/run_folder.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll::cli {
namespace {

constexpr const char* kKeep = "--keep-lenses";
constexpr std::size_t kStripFrames = 8;
constexpr std::size_t kMostSignals = 10'000; ///< of all copies of repeated groups

std::string settingText(const Params& settings)
{
    std::vector<std::string> words;
    for (const auto& [name, value] : settings)
        words.push_back(fmt::format("{}={}", name, paramText(value)));
    return fmt::format("{}", fmt::join(words, " "));
}

/// "state lstm.h order=mean"
std::string seriesText(const LensQuery& query)
{
    std::string words = query.lens;
    if (!query.node.empty() || !query.signal.empty())
        words +=
            fmt::format(" {}{}{}", query.node, query.node.empty() || query.signal.empty() ? "" : ".", query.signal);
    if (!query.settings.empty())
        words += ' ' + settingText(query.settings);
    return words;
}

std::string listText(const std::vector<KeptSeries>& series)
{
    std::vector<std::string> words;
    for (const KeptSeries& each : series)
        words.push_back(seriesText(each.query));
    return fmt::format("{}", fmt::join(words, "; "));
}

Result<std::vector<KeptSeries>> seriesOf(const std::string& run)
{
    const auto folder = RunFolder::open(withHome(run));
    if (!folder)
        return tl::unexpected(folder.error());
    return keptSeries(framesFolder(folder->path()));
}

Json seriesJson(const KeptSeries& series)
{
    Json json{JsonObject{}}, settings{JsonObject{}}, updates{JsonArray{}};
    json.add("kind", "kept");
    json.add("lens", series.query.lens);
    json.add("node", series.query.node);
    json.add("signal", series.query.signal);
    for (const auto& [name, value] : series.query.settings)
        settings.add(name, paramToJson(value));
    json.add("settings", std::move(settings));
    for (const KeptSeries::Frame& frame : series.frames)
        updates.push(frame.step);
    json.add("updates", std::move(updates));
    json.add("bytes", static_cast<std::int64_t>(series.bytes()));
    return json;
}

/// The settings that are named, as a kept query has them.
Result<Params> wishedSettings(const KeptWish& wish, const LensSpec& lens)
{
    const auto settings = lensSettings(lens, wish.settings);
    if (!settings)
        return tl::unexpected(settings.error());
    for (const std::string& assignment : wish.settings)
        if (const std::string name = assignment.substr(0, assignment.find('=')); isCursorSetting(name))
            return fail(fmt::format("{} cannot be changed for a kept frame", name), "--set " + assignment);
    return keptQuery({lens.id, {}, {}, *settings}, lens).settings;
}

void addSignals(std::vector<WatchedSignal>& all, const Graph& graph, const BlockRegistry& registry,
                const std::string& prefix)
{
    for (const auto& [id, node] : graph.nodes) {
        if (node->group && node->group->graph) {
            for (std::int64_t copy = 1; copy <= node->group->repeat && all.size() < kMostSignals; ++copy)
                addSignals(all, *node->group->graph, registry,
                           node->group->repeat > 1 ? fmt::format("{}{}.{}.", prefix, node->name, copy)
                                                   : fmt::format("{}{}.", prefix, node->name));
            continue;
        }
        if (const BlockSpec* spec = registry.find(node->block))
            for (const SignalSpec& signal : spec->signalSpecs)
                all.push_back({prefix + node->name, signal.name});
    }
}

std::vector<std::string> lensIds()
{
    std::vector<std::string> names;
    for (const auto& lens : allLenses())
        names.push_back(lens->spec().id);
    return names;
}

/// The one series that the wish fits.
Result<KeptSeries> wishedSeries(const KeptWish& wish)
{
    const auto all = seriesOf(wish.run);
    if (!all)
        return tl::unexpected(all.error());
    if (all->empty())
        return fail(fmt::format("no frames of lenses are kept: train with {}, or with their panels open", kKeep),
                    wish.run);
    const auto settings = wishedSettings(wish, findLens(wish.lens)->spec());
    if (!settings)
        return tl::unexpected(settings.error());
    std::vector<KeptSeries> fits;
    for (const KeptSeries& each : *all)
        if (each.query.lens == wish.lens && (wish.node.empty() || each.query.node == wish.node) &&
            (wish.signal.empty() || each.query.signal == wish.signal) &&
            (wish.settings.empty() || each.query.settings == *settings))
            fits.push_back(each);
    if (fits.empty())
        return fail(fmt::format("no frames are kept of {}; kept are: {}",
                                seriesText({wish.lens, wish.node, wish.signal, *settings}), listText(*all)),
                    wish.run);
    if (fits.size() > 1)
        return fail(fmt::format("choose with --node, --signal and --set: {}", listText(fits)), "--lens " + wish.lens);
    return fits.front();
}

} // namespace

Result<void> sayKept(const std::string& run, bool json)
{
    const auto series = seriesOf(run);
    if (!series)
        return tl::unexpected(series.error());
    if (json) {
        for (const KeptSeries& each : *series)
            sayJson(seriesJson(each));
        return {};
    }
    std::vector<std::vector<std::string>> rows{{"lens", "frames", "first", "last", "size"}};
    for (const KeptSeries& each : *series)
        rows.push_back({seriesText(each.query), grouped(std::ssize(each.frames)), grouped(each.frames.front().step),
                        grouped(each.frames.back().step), sizeText(each.bytes())});
    if (series->empty())
        say("no frames of lenses are kept");
    else
        sayTable(rows, {Colour::Faint});
    return {};
}

Result<KeptFrame> keptFrame(const KeptWish& wish)
{
    const auto series = wishedSeries(wish);
    if (!series)
        return tl::unexpected(series.error());
    const std::int64_t step = series->frames[nearestFrame(series->frames, wish.update)].step;
    if (step != wish.update)
        tell(fmt::format("update {} is not kept; the nearest is {}", grouped(wish.update), grouped(step)));
    return readKeptFrame(*series, step);
}

Result<KeptFrame> keptStrip(const KeptWish& wish)
{
    const auto series = wishedSeries(wish);
    if (!series)
        return tl::unexpected(series.error());
    std::vector<std::shared_ptr<const KeptFrame>> frames;
    for (const std::int64_t step : spreadUpdates(series->frames, kStripFrames)) {
        auto frame = readKeptFrame(*series, step);
        if (!frame)
            return frame;
        frames.push_back(std::make_shared<const KeptFrame>(std::move(*frame)));
    }
    auto strip = figureStrip(frames);
    if (!strip)
        return fail(strip.error().message, wish.run);
    KeptFrame shown = *frames.back();
    shown.figure = std::move(*strip);
    return shown;
}

Result<std::vector<LensQuery>> lensesToKeep(const std::vector<std::string>& words, const Graph& graph,
                                            const BlockRegistry& registry)
{
    std::vector<WatchedSignal> signalNames;
    addSignals(signalNames, graph, registry, "");
    std::vector<LensQuery> queries;
    for (const std::string& word : words) {
        const std::size_t colon = word.find(':');
        const std::string name = word.substr(0, colon);
        const std::string of = colon == std::string::npos ? std::string() : word.substr(colon + 1);
        const std::string place = fmt::format("{} {}", kKeep, word);
        const Lens* lens = findLens(name);
        if (lens == nullptr)
            return fail(fmt::format("there is no lens named {}{}", name, suggestion(name, lensIds())), place);
        const std::size_t dot = of.rfind('.');
        const std::string node = of.substr(0, dot);
        const std::string signal = dot == std::string::npos ? std::string() : of.substr(dot + 1);
        if (lens->spec().takesSignal && of.empty() && signalNames.size() > 1) {
            std::vector<std::string> names;
            for (const WatchedSignal& each : signalNames)
                names.push_back(each.node + "." + each.signal);
            return fail(fmt::format("{} is of one signal; name it as {}:NODE.SIGNAL, one of: {}", name, name,
                                    fmt::join(names, ", ")),
                        place);
        }
        const auto defaults = lensSettings(lens->spec(), {});
        if (!defaults)
            return tl::unexpected(defaults.error());
        const auto query = lensQuery(lens->spec(), signalNames, node, signal, *defaults);
        if (!query)
            return fail(query.error().message, place);
        const LensQuery kept = keptQuery(*query, lens->spec());
        if (std::find(queries.begin(), queries.end(), kept) == queries.end())
            queries.push_back(kept);
    }
    return queries;
}

} // namespace unroll::cli
