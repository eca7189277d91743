// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/cell_colours.h"

#include "core/figure/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

double percentile99(std::vector<double>& sizes)
{
    if (sizes.empty())
        return 0;
    const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(sizes.size() - 1) * 0.99);
    std::nth_element(sizes.begin(), at, sizes.end());
    return *at;
}

/// First and behind the last of `count` places that pixel `at` of `pixels` shows; one at least.
std::pair<std::size_t, std::size_t> shownBy(std::size_t at, std::size_t pixels, std::size_t count)
{
    if (count <= pixels) {
        const std::size_t place = std::min((2 * at + 1) * count / (2 * pixels), count - 1);
        return {place, place + 1};
    }
    const std::size_t first = at * count / pixels;
    return {first, std::max(first + 1, (at + 1) * count / pixels)};
}

} // namespace

CellRange cellRange(const FigureCells& cells)
{
    if (cells.period > 0)
        return {-cells.period / 2, cells.period / 2, true, false, true};
    using Kind = FigureCells::Scale;
    CellRange range{0, 1, cells.scale == Kind::Signed || cells.scale == Kind::Bounded, false, false};
    std::vector<double> sizes;
    double least = 0, most = 0;
    for (const float value : cells.values)
        if (std::isfinite(value)) {
            sizes.push_back(std::abs(static_cast<double>(value)));
            least = std::min(least, static_cast<double>(value));
            most = std::max(most, static_cast<double>(value));
        }
    if (cells.scale == Kind::Signed || cells.scale == Kind::Positive)
        range.high = cells.reach > 0 ? cells.reach : roundedUp(percentile99(sizes));
    range.low = range.diverging ? -range.high : 0;
    const double slack = range.high * 1e-6;
    range.clipped = least < range.low - slack || most > range.high + slack;
    return range;
}

const Ink& cellInk(const CellRange& range, const Inks& inks, double value)
{
    const double share = (value - range.low) / (range.high - range.low);
    return (range.cyclic ? inks.cyclic : range.diverging ? inks.diverging : inks.sequential).at(share);
}

std::vector<float> pixelValues(const FigureCells& cells, std::size_t columns, std::size_t rows)
{
    const auto across = static_cast<std::size_t>(cells.columns), down = static_cast<std::size_t>(cells.rows);
    std::vector<float> pixels(columns * rows, std::numeric_limits<float>::quiet_NaN());
    if (across == 0 || down == 0)
        return pixels;
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < columns; ++x) {
            const auto [top, bottom] = shownBy(y, rows, down);
            const auto [left, right] = shownBy(x, columns, across);
            float shown = 0;
            for (std::size_t row = top; row < bottom; ++row)
                for (std::size_t column = left; column < right; ++column) {
                    const float value = cells.values[row * across + column];
                    if (!std::isfinite(value))
                        shown = std::numeric_limits<float>::quiet_NaN();
                    else if (std::abs(value) > std::abs(shown)) // false once a NaN was met
                        shown = value;
                }
            pixels[y * columns + x] = shown;
        }
    return pixels;
}

} // namespace unroll
