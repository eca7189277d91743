// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::format {

/// The bits of the IEEE 754 half nearest to the value, of two the one with the even mantissa; beyond 65,504 by more
/// than half a step infinity. NaN stays NaN.
std::uint16_t halfOf(float value);
/// Exact.
float fromHalf(std::uint16_t bits);

} // namespace unroll::format
