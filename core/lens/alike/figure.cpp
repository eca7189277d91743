// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/alike/alike.h"

#include <fmt/format.h>

namespace unroll {

namespace {

std::string unitsText(const std::vector<AlikeUnit>& units, bool withThresholds)
{
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(units.size(), most); ++i) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", units[i].unit);
        if (withThresholds)
            text += fmt::format(" ({:.4g})", units[i].threshold);
    }
    return units.size() > most ? text + fmt::format(" and {} more", units.size() - most) : text;
}

std::vector<std::string> findingsOf(const AlikeData& data)
{
    std::vector<std::string> findings;
    if (!data.places.empty())
        findings.push_back(fmt::format(
            "The best place agrees in {:.1f} % of the (unit, step) pairs, half of all {} windows in {:.1f} % or less.",
            100 * data.places.front().score, data.windows, 100 * data.median));
    findings.push_back(fmt::format("{} unit{} {}: {}.", data.units.size(), data.units.size() == 1 ? "" : "s",
                                   data.unitsFound ? "on throughout the span and off just outside it" : "chosen",
                                   unitsText(data.units, false)));
    findings.push_back(data.byQuantile
                           ? "On is above the unit's 75 % quantile in these data: " + unitsText(data.units, true) + "."
                           : fmt::format("On is above {}.", data.units.front().threshold));
    return findings;
}

FigurePanel readingPanel(const AlikeData& data)
{
    const std::int64_t rows = std::ssize(data.units);
    FigurePanel panel{.id = "reading", .title = "Which of the units are on along the reading"};
    panel.x = {.title = "step"};
    panel.x.steps = true;
    panel.x.labels = data.labels;
    panel.y = {.title = "unit"};
    FigureCells cells{.name = "on", .rows = rows, .columns = std::ssize(data.reading) / rows, .values = data.reading};
    cells.scale = FigureCells::Scale::Share;
    for (const AlikeUnit& unit : data.units) {
        cells.units.push_back(unit.unit);
        panel.y.labels.push_back(std::to_string(unit.unit));
    }
    panel.cells = std::move(cells);
    panel.rules = {{.vertical = true, .at = static_cast<double>(data.from) - 0.5, .label = "span"},
                   {.vertical = true, .at = static_cast<double>(data.to) - 0.5}};
    return panel;
}

FigurePanel scoresPanel(const AlikeData& data)
{
    FigurePanel panel{.id = "scores", .title = "How much all windows of the span's length agree"};
    panel.x = {.title = "share of (unit, step) pairs that agree", .low = 0, .high = 1};
    panel.y = {.title = "windows"};
    panel.y.log = true;
    FigureSeries bars{.name = "windows", .kind = FigureSeries::Kind::Bars, .x = {}, .y = {}};
    for (std::size_t bin = 0; bin < AlikeData::kBins; ++bin) {
        bars.x.push_back((static_cast<double>(bin) + 0.5) / static_cast<double>(AlikeData::kBins));
        bars.y.push_back(static_cast<double>(data.histogram[bin]));
    }
    panel.series.push_back(std::move(bars));
    return panel;
}

FigureTable placesTable(const AlikeData& data)
{
    FigureTable table{"places", "Places alike", {"text", "place", "score"}, {}};
    std::vector<std::int64_t> units;
    for (const AlikeUnit& unit : data.units)
        units.push_back(unit.unit);
    for (const AlikePlace& place : data.places) {
        const std::string step = fmt::format("step {}", place.step + 1);
        table.rows.push_back(
            {.cells = {place.text, place.sequence < 0 ? step : fmt::format("sequence {}, {}", place.sequence + 1, step),
                       fmt::format("{:.3f}", place.score)},
             .node = data.node,
             .signal = data.signal,
             .units = units,
             .step = place.readingStep});
    }
    return table;
}

} // namespace

Figure AlikeData::figure() const
{
    Figure figure;
    figure.shows = fmt::format("Places in {}, where the same units of {} {} are on and off as at steps {} to {} of {}; "
                               "each score is the share "
                               "of (unit, step) pairs that agree.",
                               searched, node, signal, from + 1, to, of.empty() ? "the reading" : of);
    figure.missing = missing;
    figure.findings = findingsOf(*this);
    figure.panels = {readingPanel(*this), scoresPanel(*this)};
    figure.tables = {placesTable(*this)};
    FigureArray rows{.name = "places", .shape = {std::ssize(places), 3}, .values = {}};
    for (const AlikePlace& place : places)
        for (const double value : {static_cast<double>(place.sequence), static_cast<double>(place.step), place.score})
            rows.values.push_back(value);
    FigureArray thresholds{.name = "units", .shape = {std::ssize(units), 2}, .values = {}};
    for (const AlikeUnit& unit : units)
        for (const double value : {static_cast<double>(unit.unit), unit.threshold})
            thresholds.values.push_back(value);
    figure.arrays = {std::move(rows), std::move(thresholds)};
    return figure;
}

} // namespace unroll
