// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/unit_order.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace unroll {

namespace {

constexpr double kLast = std::numeric_limits<double>::infinity(); ///< of a unit without a number

/// Calls with (step, unit, modulus) for every cell that is a number, along memory.
template <class Visit>
void eachNumber(const HeatCells& cells, const Visit& visit)
{
    const float* value = cells.values.data();
    for (std::int64_t t = 0; t < cells.steps; ++t)
        for (std::size_t unit = 0; unit < static_cast<std::size_t>(cells.width); ++unit, ++value)
            if (std::isfinite(*value))
                visit(t, unit, std::abs(*value));
}

std::vector<double> peakSteps(const HeatCells& cells)
{
    std::vector<double> steps(static_cast<std::size_t>(cells.width), kLast);
    std::vector<float> greatest(steps.size(), -1);
    eachNumber(cells, [&](std::int64_t t, std::size_t unit, float size) {
        if (size <= greatest[unit])
            return;
        greatest[unit] = size;
        steps[unit] = static_cast<double>(t);
    });
    return steps;
}

std::vector<double> negativeMeans(const HeatCells& cells)
{
    std::vector<double> sums(static_cast<std::size_t>(cells.width), 0);
    std::vector<std::int64_t> counts(sums.size(), 0);
    eachNumber(cells, [&](std::int64_t, std::size_t unit, float size) {
        sums[unit] -= static_cast<double>(size);
        ++counts[unit];
    });
    for (std::size_t unit = 0; unit < sums.size(); ++unit)
        sums[unit] = counts[unit] > 0 ? sums[unit] / static_cast<double>(counts[unit]) : kLast;
    return sums;
}

} // namespace

std::vector<std::int64_t> unitRows(const HeatCells& cells, UnitOrder order)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(cells.width));
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    if (order == UnitOrder::Index || order == UnitOrder::Given || !orderFault(cells, order).empty())
        return rows;
    if (order == UnitOrder::Similarity)
        return similarRows(cells);
    const std::vector<double> keys = order == UnitOrder::Peak ? peakSteps(cells) : negativeMeans(cells);
    std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
        return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
    });
    return rows;
}

std::string orderFault(const HeatCells& cells, UnitOrder order)
{
    if (order == UnitOrder::Index)
        return {};
    if (cells.heads > 0)
        return "the rows of attention go by head and step";
    if (order == UnitOrder::Similarity && cells.width > kMostSimilar)
        return fmt::format("the order by similarity takes at most {} units, and there are {}", kMostSimilar,
                           cells.width);
    return {};
}

HeatCells inRows(const HeatCells& cells, const std::vector<std::int64_t>& rows)
{
    HeatCells placed{cells.steps, cells.width, {}, cells.missing};
    placed.values.reserve(cells.values.size());
    for (std::int64_t t = 0; t < cells.steps; ++t)
        for (const std::int64_t unit : rows)
            placed.values.push_back(cells.at(t, unit));
    return placed;
}

} // namespace unroll
