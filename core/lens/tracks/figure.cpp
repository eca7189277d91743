// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/tracks/tracks.h"

#include "core/base/number_text.h"
#include "core/base/signed_number.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

std::string layerName(const TracksData& data, const TrackedLayer& layer)
{
    return data.nodesAreEnough ? layer.node : layer.node + " " + layer.signal;
}

double strength(double score, bool binary)
{
    return binary ? std::abs(2 * score - 1) : std::abs(score);
}

std::string scoreText(double score, bool binary)
{
    return binary ? fmt::format("AUC {:.3f}", sizeOf(score, true)) : "r " + fixedNumber(score, 3);
}

std::string capital(std::string sentence)
{
    if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z')
        sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
    return sentence + ".";
}

/// The best score of each feature of one kind beside its chance level.
std::optional<FigurePanel> bestPanel(const TracksData& data, bool binary)
{
    FigurePanel panel{.id = binary ? "best_auc" : "best_r",
                      .title = binary ? "Best unit: on or off" : "Best unit: sizes"};
    FigureSeries chance{.name = "chance", .kind = FigureSeries::Kind::Bars, .x = {}, .y = {}, .dim = true};
    FigureSeries best{.name = "best unit", .kind = FigureSeries::Kind::Bars, .x = {}, .y = {}};
    for (const Track& track : data.best) {
        const TrackedFeature& feature = data.features[track.feature];
        if (feature.binary() != binary)
            continue;
        const auto at = static_cast<double>(best.x.size());
        panel.x.labels.push_back(feature.name);
        chance.x.push_back(at);
        chance.y.push_back(feature.chance);
        best.x.push_back(at);
        best.y.push_back(sizeOf(track.score, binary));
        best.units.push_back(track.unit);
        best.notes.push_back(data.sentence(track));
    }
    if (best.x.empty())
        return std::nullopt;
    panel.y = {.title = binary ? "AUC" : "|r|", .low = binary ? 0.5 : 0.0, .high = 1.0};
    panel.series = {std::move(best), std::move(chance)};
    return panel;
}

/// What each layer's probe reaches on data that it was not fitted on.
std::optional<FigurePanel> probePanel(const TracksData& data, bool binary)
{
    FigurePanel panel{.id = binary ? "probe_accuracy" : "probe_r2",
                      .title = binary ? "Linear probe of each layer: on or off" : "Linear probe of each layer: sizes"};
    FigureSeries base{
        .name = binary ? "majority" : "the mean", .kind = FigureSeries::Kind::Bars, .x = {}, .y = {}, .dim = true};
    std::vector<std::size_t> features;
    for (const Track& track : data.best)
        if (data.features[track.feature].binary() == binary && data.layers.front().probes.size() > track.feature &&
            data.layers.front().probes[track.feature])
            features.push_back(track.feature);
    for (const std::size_t f : features) {
        panel.x.labels.push_back(data.features[f].name);
        base.x.push_back(static_cast<double>(base.x.size()));
        base.y.push_back(data.layers.front().probes[f]->base);
    }
    if (features.empty())
        return std::nullopt;
    panel.y = {.title = binary ? "accuracy" : "R²", .low = 0.0, .high = 1.03}; // a point at 1 is drawn whole
    bool below = false;                                                        // worse than the mean
    for (const TrackedLayer& layer : data.layers) {
        FigureSeries scores{
            .name = layer.node + " " + layer.signal, .kind = FigureSeries::Kind::Points, .x = {}, .y = {}};
        for (std::size_t i = 0; i < features.size(); ++i)
            if (const auto& probe = layer.probes[features[i]]) {
                scores.x.push_back(static_cast<double>(i));
                scores.y.push_back(probe->score);
                below = below || probe->score < 0;
                scores.notes.push_back(fmt::format(
                    "{} from {} {}: {} {}, {} {}", data.features[features[i]].name, layer.node, layer.signal,
                    panel.y.title, fixedNumber(probe->score, 3), base.name, fixedNumber(probe->base, 3)));
            }
        panel.series.push_back(std::move(scores));
    }
    panel.series.push_back(std::move(base));
    if (below)
        panel.y.low.reset();
    return panel;
}

std::string numberName(const TrackedFeature& feature)
{
    return (feature.binary() ? "auc." : "r.") + feature.id;
}

/// The curves of the features with the strongest units now, as the model came to them.
std::optional<FigurePanel> coursePanel(const TracksData& data, bool binary)
{
    constexpr std::size_t kMostCurves = 8; // that can be distinguished
    FigurePanel panel{.id = binary ? "auc_over_training" : "r_over_training",
                      .title = binary ? "Best unit of all states over training: on or off"
                                      : "Best unit of all states over training: sizes"};
    panel.x = {.title = "training step"};
    panel.y = {.title = binary ? "AUC" : "|r|", .low = binary ? 0.5 : 0.0, .high = 1.0};
    for (const Track& track : data.best) {
        const TrackedFeature& feature = data.features[track.feature];
        if (feature.binary() != binary || feature.ofReading || panel.series.size() == kMostCurves)
            continue;
        for (LensCurve& curve : curvesOf(data.history, numberName(feature)))
            if (curve.name.empty()) // not one that begins with the same letters
                panel.series.push_back(
                    {.name = feature.name, .x = std::move(curve.steps), .y = std::move(curve.values)});
    }
    if (panel.series.empty())
        return std::nullopt;
    if (panel.series.front().x.size() == 1) // one update is not a span
        panel.x.low = 0;
    panel.rules.push_back({.vertical = false, .at = kTrackedFrom, .label = fmt::format("{:.1f}", kTrackedFrom)});
    return panel;
}

FigureTable foundTable(const TracksData& data)
{
    FigureTable table{"found", "Units that track a feature, the strongest first", {"What", "Score", "Chance", "q"}, {}};
    for (const Track& track : data.found) {
        const TrackedFeature& feature = data.features[track.feature];
        const TrackedLayer& layer = data.layers[track.layer];
        table.rows.push_back({{data.trackText(track), scoreText(track.score, feature.binary()),
                               fmt::format("{:.2f}", feature.chance), fmt::format("{:.1g}", track.q)},
                              layer.node,
                              layer.signal,
                              {track.unit}});
    }
    return table;
}

FigureTable featureTable(const TracksData& data)
{
    FigureTable table{"features",
                      "Features of the data",
                      {"Feature", "Known at", "On at", "Best unit", "Chance", "Units found",
                       fmt::format("{:.1f} since", kTrackedFrom)},
                      {}};
    const auto steps = [](std::int64_t known) { return fmt::format("{} steps", known); };
    const auto share = [](const TrackedFeature& feature) {
        return feature.binary() ? fmt::format("{:.1f} %", 100 * feature.on) : std::string("a number");
    };
    const auto since = [&](const TrackedFeature& feature) {
        const auto step = data.trackedSince(feature);
        return step ? fmt::format("update {}", *step) : std::string();
    };
    for (const Track& track : data.best) {
        const TrackedFeature& feature = data.features[track.feature];
        const TrackedLayer& layer = data.layers[track.layer];
        table.rows.push_back({{feature.name, steps(feature.known), share(feature),
                               fmt::format("{} of {}: {}", layer.names.brief(track.unit), layerName(data, layer),
                                           scoreText(track.score, feature.binary())),
                               fmt::format("{:.2f}", feature.chance), std::to_string(feature.units), since(feature)},
                              layer.node,
                              layer.signal,
                              {track.unit}});
    }
    for (const TrackedFeature& feature : data.features)
        if (!feature.reason.empty())
            table.rows.push_back(
                {{feature.name, steps(feature.known), "", "not available: " + feature.reason, "", "", ""}});
    return table;
}

/// All that was found out, for files: of each layer features x units.
void addArrays(Figure& figure, const TracksData& data)
{
    const auto features = std::ssize(data.features);
    FigureArray chance{"chance", {features}, {}};
    for (const TrackedFeature& feature : data.features)
        chance.values.push_back(feature.chance);
    figure.arrays.push_back(std::move(chance));
    for (const TrackedLayer& layer : data.layers) {
        const std::string name = layer.node + "." + layer.signal;
        const auto units = std::ssize(layer.units);
        figure.arrays.push_back({"score." + name, {features, units}, layer.scores});
        figure.arrays.push_back({"q." + name, {features, units}, layer.q});
        figure.arrays.push_back({"unit." + name, {units}, {layer.units.begin(), layer.units.end()}});
    }
    if (data.history.steps.empty())
        return;
    const auto& steps = data.history.steps;
    figure.arrays.push_back({"history.step", {std::ssize(steps)}, {steps.begin(), steps.end()}});
    for (const auto& [number, values] : data.history.values)
        figure.arrays.push_back({"history." + number, {std::ssize(values)}, values});
}

/// What is not available, in one sentence a reason.
std::vector<std::string> unavailable(const TracksData& data)
{
    std::vector<std::pair<std::string, std::string>> reasons;
    for (const TrackedFeature& feature : data.features) {
        if (feature.reason.empty())
            continue;
        const auto found = std::find_if(reasons.begin(), reasons.end(),
                                        [&](const auto& each) { return each.first == feature.reason; });
        if (found == reasons.end())
            reasons.emplace_back(feature.reason, feature.name);
        else
            found->second += ", " + feature.name;
    }
    std::vector<std::string> sentences;
    for (const auto& [reason, names] : reasons)
        sentences.push_back(fmt::format("Not available: {} ({}).", names, reason));
    return sentences;
}

} // namespace

double sizeOf(double score, bool binary)
{
    return binary ? std::max(score, 1 - score) : std::abs(score);
}

std::optional<std::int64_t> TracksData::trackedSince(const TrackedFeature& feature) const
{
    const auto curve = history.values.find(numberName(feature));
    if (curve == history.values.end() || feature.ofReading)
        return {};
    std::optional<std::int64_t> since;
    for (std::size_t row = 0; row < history.steps.size(); ++row) {
        if (std::isnan(curve->second[row]))
            continue;
        if (curve->second[row] < kTrackedFrom)
            since.reset();
        else if (!since)
            since = history.steps[row];
    }
    return since;
}

std::string TracksData::trackText(const Track& track) const
{
    const TrackedFeature& feature = features[track.feature];
    const TrackedLayer& layer = layers[track.layer];
    const std::string unit = fmt::format("{} of {}", layer.names.of(track.unit), layerName(*this, layer));
    if (feature.binary())
        return fmt::format("{} is {} {}", unit, track.score >= 0.5 ? "on" : "off", feature.when);
    return fmt::format("{} {} with {}", unit, track.score >= 0 ? "rises" : "falls", feature.name);
}

std::string TracksData::sentence(const Track& strongest) const
{
    const TrackedFeature& feature = features[strongest.feature];
    if (!strongest.found)
        return fmt::format("no unit tracks {} (best {} {:.2f}, chance {:.2f})", feature.name,
                           feature.binary() ? "AUC" : "|r|", sizeOf(strongest.score, feature.binary()), feature.chance);
    const std::string told = fmt::format("{}: {} (chance {:.2f})", trackText(strongest),
                                         scoreText(strongest.score, feature.binary()), feature.chance);
    return strength(strongest.score, feature.binary()) < kFollowsFrom
               ? fmt::format("no unit tracks {} closely; {}", feature.name, told)
               : told;
}

Figure TracksData::figure() const
{
    Figure figure;
    figure.shows = fmt::format(
        "What units track, over {}: AUC 1 is on exactly where the feature holds, 0.5 unrelated; chance is what the "
        "best of all units reaches on shuffled data; {} of {} pairs are found, at most {:.0f} % of them falsely.",
        of, grouped(discoveries), grouped(pairs), 100 * kFalseDiscoveries);
    figure.missing = missing;
    for (const bool isFound : {true, false})
        for (const Track& track : best)
            if (track.found == isFound)
                figure.findings.push_back(capital(sentence(track)));
    for (const std::string& reason : unavailable(*this))
        figure.findings.push_back(reason);
    figure.findings.insert(figure.findings.end(), notes.begin(), notes.end());
    for (const bool binary : {true, false})
        for (auto panel : {bestPanel(*this, binary), coursePanel(*this, binary), probePanel(*this, binary)})
            if (panel)
                figure.panels.push_back(std::move(*panel));
    if (!found.empty())
        figure.tables.push_back(foundTable(*this));
    figure.tables.push_back(featureTable(*this));
    addArrays(figure, *this);
    return figure;
}

} // namespace unroll
