// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace unroll {

namespace {

/// Calls with (unit, value) for every cell that is a number, along memory.
template <class Visit>
void eachNumber(const HeatCells& cells, const Visit& visit)
{
    const auto width = static_cast<std::size_t>(cells.width);
    for (std::size_t i = 0; i < cells.values.size(); ++i)
        if (std::isfinite(cells.values[i]))
            visit(i % width, static_cast<double>(cells.values[i]));
}

std::vector<UnitRange> largest(const HeatCells& cells)
{
    std::vector<UnitRange> units(static_cast<std::size_t>(cells.width), {0, 0});
    eachNumber(cells,
               [&](std::size_t unit, double value) { units[unit].size = std::max(units[unit].size, std::abs(value)); });
    return units;
}

/// In two passes, so that a small deviation about a large mean keeps its digits.
std::vector<UnitRange> deviations(const HeatCells& cells)
{
    std::vector<UnitRange> units(static_cast<std::size_t>(cells.width), {0, 0});
    std::vector<double> counts(units.size(), 0);
    eachNumber(cells, [&](std::size_t unit, double value) {
        units[unit].centre += value;
        ++counts[unit];
    });
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        units[unit].centre /= std::max(counts[unit], 1.0);
    eachNumber(cells, [&](std::size_t unit, double value) {
        units[unit].size += (value - units[unit].centre) * (value - units[unit].centre);
    });
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        units[unit].size = std::sqrt(units[unit].size / std::max(counts[unit], 1.0));
    return units;
}

} // namespace

HeatCells heatCells(const SignalFrame& frame)
{
    const bool complex = frame.look == SignalKind::Complex;
    HeatCells cells{frame.steps, complex ? frame.width / 2 : frame.width, {}, 0, attentionHeads(frame)};
    const auto count = static_cast<std::size_t>(cells.steps * cells.width);
    cells.values.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        cells.values[i] = complex ? std::hypot(frame.values[2 * i], frame.values[2 * i + 1]) : frame.values[i];
        cells.missing += !std::isfinite(cells.values[i]);
    }
    return cells;
}

std::vector<float> phasesOf(const SignalFrame& frame)
{
    if (frame.look != SignalKind::Complex)
        return {};
    std::vector<float> phases(frame.values.size() / 2);
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const float real = frame.values[2 * i], imaginary = frame.values[2 * i + 1];
        phases[i] = std::isfinite(real) && std::isfinite(imaginary) ? std::atan2(imaginary, real)
                                                                    : std::numeric_limits<float>::quiet_NaN();
    }
    return phases;
}

std::vector<UnitRange> unitRanges(const HeatCells& cells, UnitScale scale)
{
    if (scale == UnitScale::Shared || cells.heads > 0)
        return std::vector<UnitRange>(static_cast<std::size_t>(cells.width));
    std::vector<UnitRange> units = scale == UnitScale::Unit ? largest(cells) : deviations(cells);
    // Of equal values the mean may be off by its rounding: what is left is not a deviation.
    for (UnitRange& unit : units)
        if (!(unit.size > 1e-12 * std::abs(unit.centre)))
            unit.size = 1;
    return units;
}

HeatCells scaled(HeatCells cells, UnitScale scale)
{
    if (scale == UnitScale::Shared)
        return cells;
    const std::vector<UnitRange> ranges = unitRanges(cells, scale);
    return scaled(std::move(cells), ranges);
}

HeatCells scaled(HeatCells cells, const std::vector<UnitRange>& ranges)
{
    if (ranges.empty() || cells.heads > 0)
        return cells;
    for (std::size_t i = 0; i < cells.values.size(); ++i) {
        const UnitRange& unit = ranges[i % ranges.size()];
        if (std::isfinite(cells.values[i]))
            cells.values[i] = static_cast<float>((static_cast<double>(cells.values[i]) - unit.centre) / unit.size);
    }
    return cells;
}

} // namespace unroll
