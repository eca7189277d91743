// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace unroll {

/// The least of 1, 1.2, 1.6, 2, 3, 4, 6, 8 times a power of ten that is not less; 1 of what is not above 0.
float roundedUp(float value);

/// |x| of the values that are finite, in their order.
std::vector<float> sizesOf(const std::vector<float>& values);

/// The 99th percentile of sizes, one of them; 0 of none.
float percentile99(std::vector<float> sizes);

} // namespace unroll
