// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace unroll::cli {
namespace {

using Rgb = std::array<double, 3>;

// Blue - light - orange, readable with the common colour-vision deficiencies; the gate scale is its upper half.
constexpr Rgb kNegative{28, 84, 158};
constexpr Rgb kNeutral{246, 246, 243};
constexpr Rgb kPositive{196, 82, 10};
constexpr Rgb kNoNumber{150, 150, 150};

constexpr std::int64_t kLeastSide = 480; ///< pixels that the longer side should have
constexpr std::int64_t kLargestCell = 16;
constexpr std::int64_t kGap = 8;
constexpr std::int64_t kBar = 16;

Rgb blend(const Rgb& from, const Rgb& to, double share)
{
    Rgb colour;
    for (std::size_t i = 0; i < 3; ++i)
        colour[i] = from[i] + (to[i] - from[i]) * share;
    return colour;
}

/// `value` in -1..1.
Rgb colourOf(double value)
{
    if (std::isnan(value))
        return kNoNumber;
    value = std::clamp(value, -1.0, 1.0);
    return value < 0 ? blend(kNeutral, kNegative, -value) : blend(kNeutral, kPositive, value);
}

double rangeOf(const SignalFrame& frame)
{
    if (frame.look == SignalKind::Gate || frame.look == SignalKind::Attention || frame.look == SignalKind::Bounded)
        return 1.0;
    double largest = 0;
    for (float value : frame.values)
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(static_cast<double>(value)));
    return largest > 0 ? largest : 1.0;
}

void fill(Picture& picture, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, const Rgb& colour)
{
    for (std::int64_t row = y; row < y + height; ++row)
        for (std::int64_t column = x; column < x + width; ++column)
            for (std::size_t i = 0; i < 3; ++i)
                picture.rgb[static_cast<std::size_t>((row * picture.width + column) * 3) + i] =
                    static_cast<std::uint8_t>(std::lround(colour[i]));
}

} // namespace

Picture heatMap(const SignalFrame& frame)
{
    const std::int64_t longer = std::max<std::int64_t>({frame.steps, frame.width, 1});
    const std::int64_t cell = std::clamp<std::int64_t>((kLeastSide + longer - 1) / longer, 1, kLargestCell);
    const std::int64_t mapWidth = frame.steps * cell, height = std::max<std::int64_t>(frame.width * cell, 1);
    Picture picture{static_cast<std::uint32_t>(mapWidth + kGap + kBar), static_cast<std::uint32_t>(height), {}};
    picture.rgb.assign(static_cast<std::size_t>(picture.width) * picture.height * 3, 255);
    const double range = rangeOf(frame);
    for (std::int64_t t = 0; t < frame.steps; ++t)
        for (std::int64_t unit = 0; unit < frame.width; ++unit)
            fill(picture, t * cell, unit * cell, cell, cell,
                 colourOf(static_cast<double>(frame.values[static_cast<std::size_t>(t * frame.width + unit)]) / range));
    const bool fromZero = frame.look == SignalKind::Gate || frame.look == SignalKind::Attention;
    for (std::int64_t row = 0; row < height; ++row) {
        const double share =
            1.0 - static_cast<double>(row) / static_cast<double>(std::max<std::int64_t>(height - 1, 1));
        fill(picture, mapWidth + kGap, row, kBar, 1, colourOf(fromZero ? share : 2 * share - 1));
    }
    return picture;
}

} // namespace unroll::cli
