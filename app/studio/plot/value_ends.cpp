// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/value_ends.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace unroll {

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

std::vector<float> sizesOf(const std::vector<float>& values)
{
    std::vector<float> sizes;
    sizes.reserve(values.size());
    for (const float value : values)
        if (std::isfinite(value))
            sizes.push_back(std::abs(value));
    return sizes;
}

float percentile99(std::vector<float> sizes)
{
    if (sizes.empty())
        return 0;
    const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(sizes.size() - 1) * 0.99);
    std::nth_element(sizes.begin(), at, sizes.end());
    return *at;
}

} // namespace unroll
