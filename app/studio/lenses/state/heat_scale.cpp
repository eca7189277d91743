// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_scale.h"

#include "app/studio/plot/value_ends.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

HeatScale heatScale(SignalKind look, const HeatCells& cells)
{
    switch (look) {
    case SignalKind::Bounded: return {-1, 1, true};
    case SignalKind::Gate: return {0, 1, false};
    case SignalKind::Attention: return {0, std::min(1.0f, roundedUp(percentile99(sizesOf(cells.values)))), false};
    case SignalKind::Complex: return {0, roundedUp(percentile99(sizesOf(cells.values))), false};
    case SignalKind::Signed:
    case SignalKind::Matrix: break;
    }
    const float end = roundedUp(percentile99(sizesOf(cells.values)));
    return {-end, end, true};
}

HeatScale heatScale(SignalKind look, const HeatCells& cells, UnitScale scale)
{
    if (scale == UnitScale::Shared || look == SignalKind::Attention)
        return heatScale(look, cells);
    if (scale == UnitScale::Standardised)
        return {-3, 3, true};
    return look == SignalKind::Gate || look == SignalKind::Complex ? HeatScale{0, 1, false} : HeatScale{-1, 1, true};
}

namespace {

/// Calls with (index in the small cells, index in the cells) for every cell, along memory.
template <class Visit>
void eachShrunk(const HeatCells& cells, std::int64_t columns, std::int64_t rows, const Visit& visit)
{
    std::vector<std::int64_t> rowOf(static_cast<std::size_t>(cells.width));
    for (std::int64_t unit = 0; unit < cells.width; ++unit)
        rowOf[static_cast<std::size_t>(unit)] = unit * rows / cells.width;
    for (std::int64_t t = 0; t < cells.steps; ++t)
        for (std::int64_t unit = 0; unit < cells.width; ++unit)
            visit(static_cast<std::size_t>(t * columns / cells.steps * rows + rowOf[static_cast<std::size_t>(unit)]),
                  static_cast<std::size_t>(t * cells.width + unit));
}

} // namespace

HeatCells reducedBeside(const HeatCells& cells, const HeatCells& beside, std::int64_t columns, std::int64_t rows)
{
    columns = std::clamp<std::int64_t>(columns, 1, cells.steps);
    rows = std::clamp<std::int64_t>(rows, 1, cells.width);
    if (columns == cells.steps && rows == cells.width)
        return beside;
    HeatCells small{columns, rows, std::vector<float>(static_cast<std::size_t>(columns * rows), 0), beside.missing};
    std::vector<float> greatest(small.values.size(), -1);
    eachShrunk(cells, columns, rows, [&](std::size_t to, std::size_t from) {
        const float size =
            std::isfinite(cells.values[from]) ? std::abs(cells.values[from]) : std::numeric_limits<float>::infinity();
        if (size > greatest[to]) {
            greatest[to] = size;
            small.values[to] = beside.values[from];
        }
    });
    return small;
}

HeatCells reduced(const HeatCells& cells, std::int64_t columns, std::int64_t rows)
{
    columns = std::clamp<std::int64_t>(columns, 1, cells.steps);
    rows = std::clamp<std::int64_t>(rows, 1, cells.width);
    if (columns == cells.steps && rows == cells.width)
        return cells;
    HeatCells small{columns, rows, std::vector<float>(static_cast<std::size_t>(columns * rows), 0), cells.missing};
    eachShrunk(cells, columns, rows, [&](std::size_t to, std::size_t from) {
        float& kept = small.values[to];
        if (!std::isfinite(cells.values[from]))
            kept = std::numeric_limits<float>::quiet_NaN();
        else if (std::abs(cells.values[from]) > std::abs(kept)) // false when `kept` is NaN already
            kept = cells.values[from];
    });
    return small;
}

} // namespace unroll
