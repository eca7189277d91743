// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/frame.h"

#include <cstdint>
#include <vector>

namespace unroll::cli {

/// A picture, three bytes a pixel, rows from the top.
struct Picture {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::uint8_t> rgb;
};

/// Time from left to right, units from top to bottom, a colour bar at the right. Gates run from 0 to 1, bounded signals from -1 to 1, others
/// symmetrically to their largest magnitude; zero is light, NaN grey.
Picture heatMap(const SignalFrame& frame);

} // namespace unroll::cli
