// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_cells.h"

#include "app/studio/plot/value_ends.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace unroll {

namespace {

constexpr int kHatch = 3; ///< device pixels of a stripe

/// A smaller matrix: each entry is the value of the largest |x| behind it, NaN where there is one.
struct Reduced {
    int columns, rows;
    std::vector<float> values;

    Reduced(const FigureCells& cells, const QSize& most)
        : columns(static_cast<int>(std::min<std::int64_t>(cells.columns, most.width()))),
          rows(static_cast<int>(std::min<std::int64_t>(cells.rows, most.height()))),
          values(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0)
    {
        for (std::int64_t row = 0; row < cells.rows; ++row) {
            const float* from = cells.values.data() + row * cells.columns;
            float* to = values.data() + (row * rows / cells.rows) * columns;
            for (std::int64_t column = 0; column < cells.columns; ++column)
                keep(to[column * columns / cells.columns], from[column]);
        }
    }

    static void keep(float& kept, float value)
    {
        if (!std::isfinite(value))
            kept = std::numeric_limits<float>::quiet_NaN();
        else if (std::abs(value) > std::abs(kept)) // false when `kept` is NaN already
            kept = value;
    }
};

} // namespace

HeatEnds rangeOf(const FigureCells& cells)
{
    if (cells.period > 0) {
        const auto half = static_cast<float>(cells.period / 2);
        return {-half, half, true, false, true};
    }
    if (cells.scale == FigureCells::Scale::Bounded || cells.scale == FigureCells::Scale::Share) {
        const bool bounded = cells.scale == FigureCells::Scale::Bounded;
        const float low = bounded ? -1.0f : 0.0f;
        const bool cut = std::any_of(cells.values.begin(), cells.values.end(),
                                     [&](float value) { return std::isfinite(value) && (value < low || value > 1); });
        return {low, 1, bounded, cut};
    }
    std::vector<float> sizes = sizesOf(cells.values);
    if (cells.reach > 0) {
        const auto reach = static_cast<float>(cells.reach);
        const bool diverging = cells.scale == FigureCells::Scale::Signed;
        const bool cut = std::any_of(sizes.begin(), sizes.end(), [&](float size) { return size > reach; });
        return {diverging ? -reach : 0, reach, diverging, cut};
    }
    if (sizes.empty())
        return cells.scale == FigureCells::Scale::Positive ? HeatEnds{0, 1, false, false} : HeatEnds{};
    const float largest = *std::max_element(sizes.begin(), sizes.end());
    if (cells.scale == FigureCells::Scale::Positive)
        return {0, roundedUp(largest), false, false};
    const float usual = percentile99(std::move(sizes));
    const float end = roundedUp(usual > 0 ? usual : largest);
    return {-end, end, true, largest > end};
}

QImage cellsImage(const FigureCells& cells, const HeatEnds& range, const ColourMap& map, QRgb missing,
                  const QSize& pixels)
{
    if (pixels.isEmpty() || cells.rows < 1 || cells.columns < 1 ||
        std::ssize(cells.values) < cells.rows * cells.columns)
        return {};
    const Reduced small(cells, pixels);
    const float factor = 255.0f / (range.high - range.low);
    std::vector<QRgb> colours(small.values.size());
    std::transform(small.values.begin(), small.values.end(), colours.begin(), [&](float value) {
        const float index = (value - range.low) * factor + 0.5f;
        return std::isnan(index) ? QRgb(0) : map[static_cast<int>(std::clamp(index, 0.0f, 255.0f))]; // 0: no alpha
    });
    const QRgb stripes[] = {missing, QColor(missing).darker(170).rgb()};
    QImage image(pixels, QImage::Format_RGB32);
    std::vector<int> columnOf(static_cast<std::size_t>(pixels.width()));
    for (int x = 0; x < pixels.width(); ++x)
        columnOf[static_cast<std::size_t>(x)] =
            static_cast<int>(static_cast<std::int64_t>(x) * small.columns / pixels.width());
    for (int y = 0; y < pixels.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const auto row = static_cast<std::int64_t>(y) * small.rows / pixels.height();
        const QRgb* from = colours.data() + row * small.columns;
        for (int x = 0; x < pixels.width(); ++x) {
            const QRgb colour = from[columnOf[static_cast<std::size_t>(x)]];
            line[x] = colour != 0 ? colour : stripes[((x + y) / kHatch) & 1];
        }
    }
    return image;
}

} // namespace unroll
