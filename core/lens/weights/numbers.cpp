// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/weights/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

TensorNumbers numbersOf(const std::vector<double>& values)
{
    TensorNumbers tensor;
    double sum = 0, squares = 0;
    tensor.low = std::numeric_limits<double>::infinity();
    tensor.high = -tensor.low;
    for (const double value : values) {
        if (!std::isfinite(value)) {
            ++tensor.missing;
            continue;
        }
        ++tensor.count;
        sum += value;
        squares += value * value;
        tensor.low = std::min(tensor.low, value);
        tensor.high = std::max(tensor.high, value);
    }
    const auto count = static_cast<double>(tensor.count);
    tensor.mean = sum / count; // of none: 0 / 0
    tensor.rms = std::sqrt(squares / count);
    if (tensor.count == 0)
        tensor.low = tensor.high = std::numeric_limits<double>::quiet_NaN();
    return tensor;
}

double histogramRange(double largest)
{
    return largest > 0 ? std::exp2(std::ceil(std::log2(largest))) : 0;
}

void fillHistogram(TensorNumbers& tensor, const std::vector<double>& values, double range)
{
    tensor.range = range;
    tensor.histogram.fill(0);
    constexpr auto half = static_cast<double>(TensorNumbers::kBins) / 2;
    for (const double value : values) {
        if (!std::isfinite(value))
            continue;
        const double place =
            range > 0 ? std::floor((value / range + 1) * half) : half; // zeros alone: the bin that begins at 0
        const double last = static_cast<double>(TensorNumbers::kBins - 1);
        ++tensor.histogram[static_cast<std::size_t>(std::clamp(place, 0.0, last))];
    }
}

} // namespace unroll
