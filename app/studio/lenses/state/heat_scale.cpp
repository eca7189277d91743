// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

float roundedUp(float value)
{
    if (!(value > 0))
        return 1;
    const double power = std::pow(10.0, std::floor(std::log10(static_cast<double>(value))));
    for (const double factor : {1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 6.0, 8.0})
        if (factor * power >= static_cast<double>(value) * (1 - 1e-6))
            return static_cast<float>(factor * power);
    return static_cast<float>(10 * power);
}

float percentile99(const std::vector<float>& values)
{
    std::vector<float> sizes;
    sizes.reserve(values.size());
    for (const float value : values)
        if (std::isfinite(value))
            sizes.push_back(std::abs(value));
    if (sizes.empty())
        return 0;
    const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(sizes.size() - 1) * 0.99);
    std::nth_element(sizes.begin(), at, sizes.end());
    return *at;
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

HeatScale heatScale(SignalKind look, const HeatCells& cells)
{
    switch (look) {
    case SignalKind::Bounded: return {-1, 1, true};
    case SignalKind::Gate: return {0, 1, false};
    case SignalKind::Attention: return {0, std::min(1.0f, roundedUp(percentile99(cells.values))), false};
    case SignalKind::Complex: return {0, roundedUp(percentile99(cells.values)), false};
    case SignalKind::Signed:
    case SignalKind::Matrix: break;
    }
    const float end = roundedUp(percentile99(cells.values));
    return {-end, end, true};
}

HeatCells reduced(const HeatCells& cells, std::int64_t columns, std::int64_t rows)
{
    columns = std::clamp<std::int64_t>(columns, 1, cells.steps);
    rows = std::clamp<std::int64_t>(rows, 1, cells.width);
    if (columns == cells.steps && rows == cells.width)
        return cells;
    HeatCells small{columns, rows, std::vector<float>(static_cast<std::size_t>(columns * rows), 0), cells.missing};
    std::vector<std::int64_t> rowOf(static_cast<std::size_t>(cells.width));
    for (std::int64_t unit = 0; unit < cells.width; ++unit)
        rowOf[static_cast<std::size_t>(unit)] = unit * rows / cells.width;
    for (std::int64_t t = 0; t < cells.steps; ++t) {
        float* column = small.values.data() + (t * columns / cells.steps) * rows;
        const float* from = cells.values.data() + t * cells.width;
        for (std::int64_t unit = 0; unit < cells.width; ++unit) {
            float& kept = column[rowOf[static_cast<std::size_t>(unit)]];
            const float value = from[unit];
            if (!std::isfinite(value))
                kept = std::numeric_limits<float>::quiet_NaN();
            else if (std::abs(value) > std::abs(kept)) // false when `kept` is NaN already
                kept = value;
        }
    }
    return small;
}

} // namespace unroll
