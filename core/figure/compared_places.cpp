// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/compared_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unroll {

namespace {

constexpr const char* kOtherReading = "the sides have different readings, so their steps do not correspond";

template <class Value>
bool eachOnce(std::vector<Value> values)
{
    std::sort(values.begin(), values.end());
    return std::adjacent_find(values.begin(), values.end()) == values.end();
}

PlacePairs oneByOne(std::size_t count)
{
    PlacePairs pairs;
    for (std::size_t i = 0; i < count; ++i)
        pairs.emplace_back(i, i);
    return pairs;
}

/// Pairs by equal keys, several of one key in their order. What is not a number is not a key.
template <class Value>
PlacePairs byKey(const std::vector<Value>& first, const std::vector<Value>& second)
{
    std::map<Value, std::vector<std::size_t>> places;
    for (std::size_t j = second.size(); j-- > 0;)
        if (second[j] == second[j])
            places[second[j]].push_back(j);
    PlacePairs pairs;
    for (std::size_t i = 0; i < first.size(); ++i)
        if (!(first[i] == first[i]))
            continue;
        else if (const auto found = places.find(first[i]); found != places.end() && !found->second.empty()) {
            pairs.emplace_back(i, found->second.back());
            found->second.pop_back();
        }
    return pairs;
}

/// The label at each x; an empty list: some x has none.
std::vector<std::string> labelsAt(const FigureAxis& axis, const std::vector<double>& x)
{
    std::vector<std::string> labels;
    for (const double each : x) {
        if (!(each >= 0) || each >= static_cast<double>(axis.labels.size()))
            return {};
        labels.push_back(axis.labels[static_cast<std::size_t>(each)]);
    }
    return labels;
}

bool isLabelled(const FigureAxis& axis)
{
    return !axis.steps && !axis.labels.empty();
}

std::string columnsMisfit(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit)
{
    if (first.x.steps != second.x.steps)
        return "one side is over steps, the other is not";
    if ((first.x.steps || first.y.steps) && !fit.sameReading)
        return kOtherReading;
    if (first.cells->columns != second.cells->columns)
        return fmt::format("{} columns against {}", first.cells->columns, second.cells->columns);
    if (!first.x.steps && first.x.labels != second.x.labels)
        return "the columns differ";
    if (first.cells->period != second.cells->period)
        return "one side is of phases, the other is not";
    return {};
}

} // namespace

std::vector<std::size_t> sameLabels(const std::vector<std::string>& labels, const std::vector<std::string>& others)
{
    if (labels.size() != others.size())
        return {};
    const PlacePairs pairs = byKey(labels, others);
    if (pairs.size() != labels.size())
        return {};
    std::vector<std::size_t> places(labels.size());
    for (const auto& [i, j] : pairs)
        places[i] = j;
    return places;
}

Result<PlacePairs> rowPairs(const FigurePanel& first, const FigurePanel& second, const SidesFit& fit)
{
    if (const std::string why = columnsMisfit(first, second, fit); !why.empty())
        return fail(why);
    const FigureCells &one = *first.cells, &other = *second.cells;
    if (one.rows != other.rows)
        return fail(fmt::format("{} rows against {}", one.rows, other.rows));
    const PlacePairs same = oneByOne(static_cast<std::size_t>(one.rows));
    if (fit.paired)
        return same;
    if (one.units.empty() != other.units.empty())
        return fail("the rows are of units on one side only");
    if (one.units.empty() || one.units == other.units)
        return first.y.labels == second.y.labels ? Result<PlacePairs>(same) : fail("the rows differ");
    if (!eachOnce(one.units) || !eachOnce(other.units))
        return fail("the rows are not of one unit each");
    const PlacePairs pairs = unitPairs(one, other);
    return pairs.size() == same.size() ? Result<PlacePairs>(pairs) : fail("the rows are different units");
}

PlacePairs unitPairs(const FigureCells& first, const FigureCells& second)
{
    return byKey(first.units, second.units);
}

Result<PlacePairs> pointPairs(const FigurePanel& first, const FigureSeries& one, const FigurePanel& second,
                              const FigureSeries& other, const SidesFit& fit)
{
    if (one.kind != other.kind)
        return fail("one side has bars, a line or points where the other has something else");
    if (first.square || second.square)
        return fail("points in a plane have no difference");
    if (first.x.steps != second.x.steps || isLabelled(first.x) != isLabelled(second.x))
        return fail("the sides have different axes");
    if (first.x.steps && !fit.sameReading)
        return fail(kOtherReading);
    PlacePairs pairs;
    if (isLabelled(first.x)) {
        pairs = byKey(labelsAt(first.x, one.x), labelsAt(second.x, other.x));
    } else if (one.x.size() == 1 && other.x.size() == 1) {
        pairs = {{0, 0}};
    } else {
        pairs = byKey(one.x, other.x);
        if (one.kind == FigureSeries::Kind::Bars && (pairs.size() != one.x.size() || pairs.size() != other.x.size()))
            return fail("the bars have different bins");
    }
    if (pairs.empty())
        return fail(isLabelled(first.x) ? "the sides have no label in common" : "the sides have no place in common");
    return pairs;
}

} // namespace unroll
