// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/gates/gates.h"

#include "core/model/model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <numeric>

namespace unroll {

GatesData gateCounts(const SignalFrame& frame)
{
    GatesData data;
    data.steps = frame.steps;
    data.units.resize(static_cast<std::size_t>(frame.width));
    data.byUnit.resize(data.units.size() * GatesData::kBins);
    data.means.resize(data.units.size());
    for (std::size_t i = 0; i < data.units.size(); ++i)
        data.units[i].unit = static_cast<std::int64_t>(i);
    for (std::size_t i = 0; i < frame.values.size(); ++i) {
        const double value = static_cast<double>(frame.values[i]);
        if (!std::isfinite(value)) {
            ++data.missing;
            continue;
        }
        if (value < 0 || value > 1) {
            ++data.outside;
            continue;
        }
        GateUnit& unit = data.units[i % data.units.size()];
        ++unit.count;
        data.means[i % data.units.size()] += value;
        unit.closed += value < kClosedGate;
        unit.open += value > kOpenGate;
        const auto bin =
            static_cast<std::size_t>(value * static_cast<double>(GatesData::kBins)); // exact: a float times 20
        ++data.histogram[std::min(bin, GatesData::kBins - 1)];
        ++data.byUnit[i % data.units.size() * GatesData::kBins + std::min(bin, GatesData::kBins - 1)];
    }
    for (std::size_t i = 0; i < data.units.size(); ++i)
        data.means[i] = data.units[i].count > 0 ? data.means[i] / static_cast<double>(data.units[i].count)
                                                : std::numeric_limits<double>::quiet_NaN();
    return data;
}

namespace {

double share(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole)
                     : std::numeric_limits<double>::quiet_NaN();
}

std::string percent(std::int64_t part, std::int64_t whole)
{
    return fmt::format("{:.1f} %", 100 * share(part, whole));
}

FigurePanel saturationPanel(const GatesData& data)
{
    FigurePanel panel{.id = "saturation", .title = data.name + ": how often each unit is saturated"};
    panel.x = {.title = "share of steps below 0.1 (closed)", .low = 0, .high = 1};
    panel.y = {.title = "share of steps above 0.9 (open)", .low = 0, .high = 1};
    panel.square = true;
    panel.height = 2;
    panel.series.push_back(
        {.name = "always saturated", .kind = FigureSeries::Kind::Line, .x = {0, 1}, .y = {1, 0}, .dim = true});
    FigureSeries points{.name = "units", .kind = FigureSeries::Kind::Points, .x = {}, .y = {}};
    for (const GateUnit& unit : data.units) {
        points.x.push_back(share(unit.closed, unit.count));
        points.y.push_back(share(unit.open, unit.count));
        points.units.push_back(unit.unit);
        points.notes.push_back(fmt::format("unit {}: closed at {} and open at {} of {} steps", unit.unit, unit.closed,
                                           unit.open, unit.count));
    }
    panel.series.push_back(std::move(points));
    return panel;
}

FigurePanel histogramPanel(const GatesData& data)
{
    FigurePanel panel{.id = "histogram", .title = "All values of all units"};
    panel.x = {.title = "value of the gate", .low = 0, .high = 1};
    panel.y = {.title = "values", .low = 0};
    FigureSeries bars{.name = "count", .kind = FigureSeries::Kind::Bars, .x = {}, .y = {}};
    constexpr double width = 1.0 / static_cast<double>(GatesData::kBins);
    for (std::size_t bin = 0; bin < GatesData::kBins; ++bin) {
        const double from = static_cast<double>(bin) * width;
        bars.x.push_back(from + width / 2);
        bars.y.push_back(static_cast<double>(data.histogram[bin]));
        bars.notes.push_back(fmt::format("{:.2f} to {:.2f}: {} values", from, from + width, data.histogram[bin]));
    }
    panel.series.push_back(std::move(bars));
    panel.rules = {{.vertical = true, .at = kClosedGate, .label = "closed"},
                   {.vertical = true, .at = kOpenGate, .label = "open"}};
    return panel;
}

/// A row a unit: the share of its values in each bin. NaN where it has none.
FigurePanel unitHistogramsPanel(const GatesData& data)
{
    FigurePanel panel{.id = "histogram_by_unit", .title = "Values of each unit"};
    panel.x.title = "value of the gate";
    panel.y.title = "unit";
    constexpr auto bins = static_cast<std::int64_t>(GatesData::kBins);
    for (std::int64_t bin = 0; bin < bins; ++bin)
        panel.x.labels.push_back(fmt::format("{:.2f}", static_cast<double>(bin) / static_cast<double>(bins)));
    FigureCells cells{.name = "histogram_by_unit",
                      .rows = std::ssize(data.units),
                      .columns = bins,
                      .values = {},
                      .scale = FigureCells::Scale::Share};
    for (const GateUnit& unit : data.units) {
        cells.units.push_back(unit.unit);
        for (std::int64_t bin = 0; bin < bins; ++bin)
            cells.values.push_back(
                static_cast<float>(share(data.byUnit[static_cast<std::size_t>(unit.unit * bins + bin)], unit.count)));
    }
    panel.cells = std::move(cells);
    return panel;
}

/// The unit that is closed (or open) most often; the first of equals.
std::string mostOf(const GatesData& data, std::int64_t GateUnit::*part, const char* word)
{
    const auto often = [&](const GateUnit& unit) { return unit.count > 0 ? share(unit.*part, unit.count) : -1; };
    const auto most = std::max_element(data.units.begin(), data.units.end(),
                                       [&](const GateUnit& a, const GateUnit& b) { return often(a) < often(b); });
    if (most->count == 0 || (*most).*part == 0)
        return fmt::format("No unit is ever {}.", word);
    return fmt::format("Unit {} is {} most often: at {} of its steps.", most->unit, word,
                       percent((*most).*part, most->count));
}

/// How long a state lasts of which the share a is kept at each step: 1 / (1 - a) steps.
std::string stepsText(double a)
{
    if (a >= 1)
        return "∞";
    const double steps = 1 / (1 - a);
    return steps < 1000 ? fmt::format("{:.3g}", steps) : fmt::format("{:.0f}", steps);
}

/// Above 0.9 there are 10 steps and 10,000: what is always open may keep for long or not. Empty: no unit has values.
std::string keptText(const GatesData& data)
{
    std::vector<double> means;
    std::copy_if(data.means.begin(), data.means.end(), std::back_inserter(means),
                 [](double mean) { return !std::isnan(mean); });
    if (means.empty())
        return {};
    std::sort(means.begin(), means.end());
    const double middle = means[means.size() / 2];
    return fmt::format(
        "As the share of a state that is kept at each step, the mean of a unit is {:.3f} to {:.3f}, {:.3f} "
        "in the middle: 1 / (1 - mean) is {} to {} steps, {} in the middle.",
        means.front(), means.back(), middle, stepsText(means.front()), stepsText(means.back()), stepsText(middle));
}

/// Why the values of a scaled gate are not those of the gate.
std::string scalingText(const GatesData& data)
{
    if (data.keeps)
        return fmt::format("The gate is scaled by exp({0}_(t-1) - {0}_t), and 1 where {0} follows it: what is kept, "
                           "half-lives, is in the spectrum lens.",
                           data.scale);
    return fmt::format("The gate is scaled by exp(-{0}_t), and 1 where {0} follows it: open and closed are said of the "
                       "scaled value, and do not tell how open the gate itself is.",
                       data.scale);
}

std::vector<std::string> findingsOf(const GatesData& data)
{
    std::int64_t count = 0, closed = 0, open = 0, always = 0;
    for (const GateUnit& unit : data.units) {
        count += unit.count;
        closed += unit.closed;
        open += unit.open;
        always += unit.count > 0 && unit.closed + unit.open == unit.count;
    }
    std::vector<std::string> findings{
        fmt::format("{} of {} values are saturated: {} closed (below 0.1), {} open (above 0.9).",
                    percent(closed + open, count), count, percent(closed, count), percent(open, count)),
        fmt::format("{} of {} units are saturated at every step.", always, data.units.size()),
        mostOf(data, &GateUnit::closed, "closed"), mostOf(data, &GateUnit::open, "open")};
    if (!data.scale.empty())
        findings.push_back(scalingText(data));
    const bool isShare = data.keeps && data.scale.empty(); // a scaled gate alone is not the share
    if (const std::string kept = isShare ? keptText(data) : std::string(); !kept.empty())
        findings.push_back(kept);
    if (data.outside > 0)
        findings.push_back(fmt::format("{} values are not within 0 to 1 and are left out.", data.outside));
    return findings;
}

} // namespace

Figure GatesData::figure() const
{
    Figure figure;
    figure.shows =
        fmt::format("Share of steps at which each unit of {} is closed (below 0.1) and open (above 0.9), over {} "
                    "step{} of {}: units near the diagonal are saturated, those near the origin are not.",
                    name, steps, steps == 1 ? "" : "s", of.empty() ? "the reading" : of);
    figure.missing = missing;
    figure.findings = findingsOf(*this);
    figure.panels = {saturationPanel(*this), histogramPanel(*this), unitHistogramsPanel(*this)};
    FigureArray counts{.name = "counts", .shape = {static_cast<std::int64_t>(units.size()), 3}, .values = {}};
    for (const GateUnit& unit : units)
        for (const std::int64_t each : {unit.count, unit.closed, unit.open})
            counts.values.push_back(static_cast<double>(each));
    figure.arrays.push_back(std::move(counts));
    figure.arrays.push_back({.name = "mean", .shape = {std::ssize(means)}, .values = means});
    return figure;
}

namespace lenses::gates {

namespace {

class GatesLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const auto shown = signalOf(subject.look, query);
        if (!shown)
            return tl::unexpected(shown.error());
        const SignalFrame& frame = **shown;
        if (frame.look != SignalKind::Gate)
            return fail("the signal " + frame.signal + " of " + frame.node +
                        " is not a gate; choose a signal with values from 0 to 1");
        if (frame.steps == 0 || frame.width == 0)
            return fail("the signal " + frame.signal + " of " + frame.node + " has no values");
        auto data = std::make_shared<GatesData>(gateCounts(frame));
        if (data->missing + data->outside == std::ssize(frame.values))
            return fail(fmt::format("none of the {} values of {} {} is a number within 0 to 1", frame.values.size(),
                                    frame.node, frame.signal));
        data->name = frame.node + " " + frame.signal;
        data->of = subject.look.of;
        const SignalSpec* signal =
            subject.model != nullptr ? subject.model->signalSpec(frame.node, frame.signal) : nullptr;
        if (signal != nullptr) {
            data->scale = signal->scale;
            data->keeps = signal->keeps;
        }
        return data;
    }

private:
    LensSpec m_spec{"gates", "Gates",
                    "How often each unit of a gate is closed or open, and the distribution of its values."};
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<GatesLens>();
}

} // namespace lenses::gates

} // namespace unroll
