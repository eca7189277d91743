// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/unit_stats/unit_stats.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace unroll {

namespace {

std::int64_t unitsOf(const SignalFrame& frame)
{
    return frame.look == SignalKind::Complex ? frame.width / 2 : frame.width;
}

/// Calls with (unit, value) for every value that is a number, along memory.
template <class Visit>
void eachNumber(const SignalFrame& frame, const Visit& visit)
{
    const bool complex = frame.look == SignalKind::Complex;
    const auto units = static_cast<std::size_t>(unitsOf(frame));
    for (std::size_t i = 0; i < static_cast<std::size_t>(frame.steps) * units; ++i) {
        const double value =
            complex ? std::hypot(static_cast<double>(frame.values[2 * i]), static_cast<double>(frame.values[2 * i + 1]))
                    : static_cast<double>(frame.values[i]);
        if (std::isfinite(value))
            visit(i % units, value);
    }
}

} // namespace

/// In two passes: the distances are from the mean itself, so that a small deviation about a large mean keeps its
/// digits.
std::vector<UnitStats> unitStats(const SignalFrame& frame)
{
    std::vector<UnitStats> units(static_cast<std::size_t>(unitsOf(frame)));
    for (std::size_t i = 0; i < units.size(); ++i)
        units[i].unit = static_cast<std::int64_t>(i);
    eachNumber(frame, [&](std::size_t unit, double value) {
        ++units[unit].count;
        units[unit].mean += value;
    });
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (UnitStats& unit : units)
        unit.mean = unit.count > 0 ? unit.mean / static_cast<double>(unit.count) : none;
    eachNumber(frame, [&](std::size_t unit, double value) {
        const double distance = value - units[unit].mean;
        units[unit].deviation += distance * distance;
    });
    for (UnitStats& unit : units)
        unit.deviation = unit.count > 0 ? std::sqrt(unit.deviation / static_cast<double>(unit.count)) : none;
    return units;
}

Figure UnitStatsData::figure() const
{
    Figure figure;
    figure.shows = fmt::format("Mean of each unit of {}{} over {} step{} of {}; whiskers are one standard deviation.",
                               name, moduli ? " (size of the complex value)" : "", steps, steps == 1 ? "" : "s",
                               of.empty() ? "the reading" : of);
    figure.missing = missing;
    FigureSeries bars{.name = "mean", .kind = FigureSeries::Kind::Bars, .x = {}, .y = {}};
    FigurePanel panel{.id = "units", .title = name};
    for (const UnitStats& unit : units) {
        bars.x.push_back(static_cast<double>(bars.x.size()));
        bars.y.push_back(unit.mean);
        bars.low.push_back(unit.mean - unit.deviation);
        bars.high.push_back(unit.mean + unit.deviation);
        bars.units.push_back(unit.unit);
        bars.notes.push_back(
            unit.count == 0
                ? fmt::format("{}: n/a, none of its {} values is finite", names.of(unit.unit), steps)
                : fmt::format("{}: {:.4g}, std {:.4g}, over {}{} steps", names.of(unit.unit), unit.mean, unit.deviation,
                              unit.count == steps ? std::string() : fmt::format("{} of ", unit.count), steps));
        panel.x.labels.push_back(std::to_string(unit.unit));
    }
    if (std::is_sorted(bars.units.begin(), bars.units.end()))
        panel.x.labels.clear(); // each stands at its own number
    panel.x.title = "unit";
    panel.y.title = "mean";
    panel.series.push_back(std::move(bars));
    figure.panels.push_back(std::move(panel));
    return figure;
}

namespace lenses::unit_stats {

namespace {

/// The greatest in front; equal ones in the order of their index, units without a number last.
void order(std::vector<UnitStats>& units, const std::string& by)
{
    if (by == "index")
        return;
    const auto key = [&](const UnitStats& unit) {
        return unit.count == 0 ? -std::numeric_limits<double>::infinity() : by == "mean" ? unit.mean : unit.deviation;
    };
    std::stable_sort(units.begin(), units.end(),
                     [&](const UnitStats& a, const UnitStats& b) { return key(a) > key(b); });
}

LensSpec unitStatsSpec()
{
    ParamSpec by{};
    by.name = "order";
    by.type = ParamType::Choice;
    by.defaultValue = std::string("index");
    by.help = "Order of the units, from left to right.";
    by.choices = {
        {"index", "By index."}, {"mean", "Largest mean first."}, {"deviation", "Largest standard deviation first."}};
    return {"unit_stats",
            "Units' mean and deviation",
            "Mean and standard deviation of each unit over the steps of the probe text.",
            true,
            {by}};
}

class UnitStatsLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const auto shown = signalOf(subject.look, query);
        if (!shown)
            return tl::unexpected(shown.error());
        const SignalFrame& frame = **shown;
        if (frame.steps == 0 || unitsOf(frame) == 0)
            return fail("the signal " + frame.signal + " of " + frame.node + " has no values");
        auto stats = std::make_shared<UnitStatsData>();
        stats->units = unitStats(frame);
        stats->steps = frame.steps;
        stats->name = frame.node + " " + frame.signal;
        stats->of = subject.look.of;
        stats->names = namesOf(frame);
        stats->moduli = frame.look == SignalKind::Complex;
        for (const UnitStats& unit : stats->units)
            stats->missing += frame.steps - unit.count;
        order(stats->units, std::get<std::string>(query.settings.at("order")));
        return stats;
    }

private:
    LensSpec m_spec = unitStatsSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<UnitStatsLens>();
}

} // namespace lenses::unit_stats

} // namespace unroll
