// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/cell_colours.h"
#include "core/figure/compared_panels.h"
#include "core/figure/panel_span.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

using SeriesKind = FigureSeries::Kind;

constexpr std::int64_t kMostTogether = 3; ///< curves of a side in one panel, beside references

std::int64_t curvesOf(const FigurePanel& panel)
{
    return std::count_if(panel.series.begin(), panel.series.end(), [](const FigureSeries& each) { return !each.dim; });
}

bool hasShade(const FigurePanel& panel)
{
    return std::any_of(panel.series.begin(), panel.series.end(),
                       [](const FigureSeries& each) { return !each.shade.empty(); });
}

bool hasBars(const FigurePanel& panel)
{
    return std::any_of(panel.series.begin(), panel.series.end(),
                       [](const FigureSeries& each) { return each.kind == SeriesKind::Bars; });
}

bool isOverLabels(const FigureAxis& axis)
{
    return !axis.steps && !axis.labels.empty();
}

/// Bars that count over the same places.
bool sameBins(const FigurePanel& first, const FigurePanel& second)
{
    std::vector<const FigureSeries*> one, other;
    for (const FigureSeries& each : first.series)
        one.push_back(&each);
    for (const FigureSeries& each : second.series)
        other.push_back(&each);
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const FigureSeries* a, const FigureSeries* b) { return a->x == b->x; });
}

bool canShare(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit)
{
    if (first.cells || second.cells || hasShade(first) || hasShade(second))
        return false;
    if (curvesOf(first) > kMostTogether || curvesOf(second) > kMostTogether || curvesOf(first) == 0)
        return false;
    if (first.x.title != second.x.title || first.y.title != second.y.title || first.square != second.square)
        return false;
    if (first.x.log != second.x.log || first.y.log != second.y.log || first.x.steps != second.x.steps)
        return false;
    if (first.x.steps || first.y.steps)
        return fit.sameReading && first.y.labels == second.y.labels;
    if (isOverLabels(first.x) || isOverLabels(second.x))
        return !sameLabels(second.x.labels, first.x.labels).empty() && first.y.labels == second.y.labels;
    return first.y.labels == second.y.labels && (!(hasBars(first) || hasBars(second)) || sameBins(first, second));
}

/// The outer of two ends; nothing where one side leaves it to its values.
std::optional<double> outer(const std::optional<double>& one, const std::optional<double>& other, bool low)
{
    if (!one || !other)
        return {};
    return low ? std::min(*one, *other) : std::max(*one, *other);
}

FigureAxis joined(const FigureAxis& one, const FigureAxis& other)
{
    FigureAxis axis = one;
    axis.low = outer(one.low, other.low, true);
    axis.high = outer(one.high, other.high, false);
    return axis;
}

/// The side's curves under its name; `places`: where each label of the side stands in the shared panel.
void addCurves(FigurePanel& shared, const FigurePanel& side, const std::string& name,
               const std::vector<std::size_t>& places)
{
    const bool alone = curvesOf(side) == 1;
    for (FigureSeries series : side.series) {
        for (double& x : series.x)
            if (x >= 0 && x < static_cast<double>(places.size()))
                x = static_cast<double>(places[static_cast<std::size_t>(x)]);
        const auto same = [&](const FigureSeries& each) {
            return each.dim && each.name == series.name && each.x == series.x && each.y == series.y;
        };
        if (series.dim && std::any_of(shared.series.begin(), shared.series.end(), same))
            continue; // a reference of both
        if (!series.dim)
            series.name = alone || series.name.empty() ? name : fmt::format("{}, {}", series.name, name);
        for (std::string& note : series.notes)
            if (!note.empty())
                note = fmt::format("{}: {}", name, note);
        shared.series.push_back(std::move(series));
    }
}

/// References that differ are distinguished by their sides' names.
void nameReferences(FigurePanel& shared, std::size_t ofFirst, const SideNames& names)
{
    for (std::size_t i = 0; i < shared.series.size(); ++i) {
        FigureSeries& series = shared.series[i];
        const auto twice = std::count_if(shared.series.begin(), shared.series.end(), [&](const FigureSeries& each) {
            return each.dim && each.name.starts_with(series.name);
        });
        if (series.dim && twice > 1)
            series.name = fmt::format("{}, {}", series.name, i < ofFirst ? names.first : names.second);
    }
}

FigurePanel sharedPanel(const FigurePanel& first, const FigurePanel& second, const SideNames& names)
{
    FigurePanel shared = first;
    if (first.title != second.title && !second.title.empty())
        shared.title = fmt::format("{} and {}", first.title, second.title);
    shared.x = joined(first.x, second.x);
    shared.y = joined(first.y, second.y);
    shared.series.clear();
    addCurves(shared, first, names.first, {});
    const std::size_t ofFirst = shared.series.size();
    addCurves(shared, second, names.second,
              isOverLabels(first.x) ? sameLabels(second.x.labels, first.x.labels) : std::vector<std::size_t>{});
    nameReferences(shared, ofFirst, names);
    for (const FigureCircle& circle : second.circles)
        if (std::none_of(first.circles.begin(), first.circles.end(), [&](const FigureCircle& each) {
                return each.x == circle.x && each.y == circle.y && each.radius == circle.radius;
            }))
            shared.circles.push_back(circle);
    for (const FigureRule& rule : second.rules)
        if (std::none_of(first.rules.begin(), first.rules.end(), [&](const FigureRule& each) {
                return each.vertical == rule.vertical && each.at == rule.at;
            })) {
            shared.rules.push_back(rule);
            if (!rule.label.empty())
                shared.rules.back().label = fmt::format("{}, {}", rule.label, names.second);
        }
    return shared;
}

/// One scale of colours for both.
void alignColours(FigureCells& one, FigureCells& other)
{
    using Scale = FigureCells::Scale;
    const bool fixed = one.scale == Scale::Bounded || one.scale == Scale::Share;
    if (one.scale == other.scale && fixed)
        return;
    FigureCells both = one;
    both.values.insert(both.values.end(), other.values.begin(), other.values.end());
    if (one.scale != other.scale)
        both.scale = Scale::Signed;
    const double reach = cellRange(both).high;
    one.scale = other.scale = both.scale;
    one.reach = other.reach = reach;
}

/// The rows of the other in the order of the one, by the units that they are of.
void alignRows(const FigurePanel& one, FigurePanel& other, const SidesFit& fit)
{
    if (!isReordered(one, other, fit))
        return;
    const FigurePanel before = other;
    const auto columns = static_cast<std::ptrdiff_t>(before.cells->columns);
    for (const auto& [to, from] : unitPairs(*one.cells, *before.cells)) {
        const auto row = before.cells->values.begin() + static_cast<std::ptrdiff_t>(from) * columns;
        std::copy(row, row + columns, other.cells->values.begin() + static_cast<std::ptrdiff_t>(to) * columns);
        other.cells->units[to] = before.cells->units[from];
        if (before.y.labels.size() == before.cells->units.size())
            other.y.labels[to] = before.y.labels[from];
    }
}

/// Places of steps, labels and rows are their own ends.
bool isOfPlaces(const FigureAxis& axis)
{
    return axis.steps || !axis.labels.empty();
}

void alignAxes(FigurePanel& one, FigurePanel& other)
{
    const auto join = [](FigureAxis& a, const Span& spanA, FigureAxis& b, const Span& spanB) {
        if (isOfPlaces(a) || isOfPlaces(b) || a.log != b.log)
            return;
        a.low = b.low = std::min(spanA.low, spanB.low);
        a.high = b.high = std::max(spanA.high, spanB.high);
    };
    if (one.cells || other.cells)
        return;
    const Span xOne = xSpan(one), xOther = xSpan(other), yOne = ySpan(one), yOther = ySpan(other);
    join(one.x, xOne, other.x, xOther);
    join(one.y, yOne, other.y, yOther);
}

} // namespace

std::string titleOf(const std::string& title, const std::string& side)
{
    return title.empty() ? side : title.find(side) != std::string::npos ? title : fmt::format("{}: {}", title, side);
}

bool isReordered(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit)
{
    if (!first.cells || !second.cells || fit.paired || first.cells->units == second.cells->units)
        return false;
    std::vector<std::int64_t> one = first.cells->units, other = second.cells->units;
    std::sort(one.begin(), one.end());
    std::sort(other.begin(), other.end());
    return one == other && std::adjacent_find(one.begin(), one.end()) == one.end() &&
           std::ssize(one) == first.cells->rows && std::ssize(one) == second.cells->rows;
}

FigurePanel namedPanel(FigurePanel panel, const std::string& side, const std::string& suffix)
{
    panel.title = titleOf(panel.title, side);
    panel.id += suffix;
    return panel;
}

std::vector<FigurePanel> panelsBeside(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit,
                                      const SideNames& names)
{
    if (canShare(first, second, fit))
        return {sharedPanel(first, second, names)};
    FigurePanel one = namedPanel(first, names.first, "_first"), other = namedPanel(second, names.second, "_second");
    if (one.cells && other.cells)
        alignColours(*one.cells, *other.cells);
    alignAxes(one, other);
    alignRows(one, other, fit);
    return {std::move(one), std::move(other)};
}

} // namespace unroll
