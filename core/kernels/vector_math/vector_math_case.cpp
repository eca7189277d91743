// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/vector_math/vector_math_case.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

namespace unroll::kernels::test {
namespace {

template <typename Wide>
Wide exact(VectorFunction function, Wide x)
{
    switch (function) {
    case VectorFunction::Exp: return std::exp(x);
    case VectorFunction::Sigmoid: return 1 / (1 + std::exp(-x));
    case VectorFunction::SigmoidComplement: return 1 / (1 + std::exp(x));
    case VectorFunction::Silu: return x / (1 + std::exp(-x));
    case VectorFunction::Tanh: return std::tanh(x);
    case VectorFunction::Gelu: return x * std::erfc(-x * std::numbers::sqrt2_v<Wide> / 2) / 2;
    }
    return 0;
}

/// The absolute error allowed where the result leaves the normal numbers.
template <typename T, typename Wide>
Wide resolution(VectorFunction function, T x)
{
    const Wide smallest = std::numeric_limits<T>::min();
    const bool timesX = function == VectorFunction::Silu || function == VectorFunction::Gelu;
    return timesX && x < -1 ? -smallest * static_cast<Wide>(x) : smallest;
}

/// The distance from the exact |result| rounded to T to the next number away from 0; at the end of the range, the one below.
template <typename T, typename Wide>
Wide lastPlace(Wide want)
{
    const T largest = std::numeric_limits<T>::max();
    const T rounded = std::min(static_cast<T>(std::min<Wide>(std::abs(want), largest)), std::nextafter(largest, T(0)));
    return static_cast<Wide>(std::nextafter(rounded, largest)) - static_cast<Wide>(rounded);
}

template <typename T, typename Wide>
double errorInUlps(VectorFunction function, T x, T got)
{
    constexpr double wrong = std::numeric_limits<double>::infinity();
    const Wide want = exact(function, static_cast<Wide>(x)), floor = resolution<T, Wide>(function, x);
    if (std::abs(want) < 2 * floor)
        return std::abs(got - want) <= static_cast<Wide>(1.01) * floor ? 0 : wrong;
    const bool beyond = std::isinf(static_cast<T>(want));
    if (std::isinf(got) || beyond)
        return std::isinf(got) && beyond ? 0 : wrong;
    return static_cast<double>(std::abs(got - want) / lastPlace<T, Wide>(want));
}

/// The largest error over `xs`.
template <typename T, typename Wide>
LargestError largestOver(VectorFunction function, const std::vector<T>& xs)
{
    std::vector<T> ys(xs.size());
    applyVectorFunction(function, xs.data(), ys.data(), static_cast<std::int64_t>(xs.size()));
    LargestError worst;
    for (std::size_t i = 0; i < xs.size(); ++i)
        if (const double error = errorInUlps<T, Wide>(function, xs[i], ys[i]); !(error <= worst.ulps))
            worst = {error, static_cast<double>(xs[i])};
    return worst;
}

/// Where a function of doubles is neither 0 nor at its limit.
double rangeOf(VectorFunction function)
{
    switch (function) {
    case VectorFunction::Exp: return 709.7;
    case VectorFunction::Tanh: return 50;
    default: return 800;
    }
}

} // namespace

const std::vector<StatedError>& statedErrors()
{
    static const std::vector<StatedError> errors = {{VectorFunction::Exp, "exp", 2},
                                                    {VectorFunction::Sigmoid, "sigmoid", 3},
                                                    {VectorFunction::SigmoidComplement, "1 - sigmoid", 3},
                                                    {VectorFunction::Silu, "silu", 4},
                                                    {VectorFunction::Tanh, "tanh", 4},
                                                    {VectorFunction::Gelu, "gelu", 6}};
    return errors;
}

LargestError largestFloatError(VectorFunction function, std::int64_t stride)
{
    constexpr std::int64_t patterns = std::int64_t(1) << 32, atOnce = 1 << 14;
    LargestError worst;
    std::mutex mutex;
    at::parallel_for(0, (patterns + stride - 1) / stride, atOnce, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> xs;
        for (std::int64_t first = begin; first < end; first += atOnce) {
            xs.clear();
            for (std::int64_t i = first; i < std::min(end, first + atOnce); ++i)
                if (const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(i * stride)); std::isfinite(x))
                    xs.push_back(x);
            const LargestError found = largestOver<float, double>(function, xs);
            const std::lock_guard lock(mutex);
            if (found.ulps > worst.ulps || (found.ulps == worst.ulps && found.at < worst.at))
                worst = found;
        }
    });
    return worst;
}

LargestError largestDoubleError(VectorFunction function)
{
    const double limit = rangeOf(function);
    std::vector<double> xs;
    constexpr int even = 200000;
    for (int i = 0; i <= even; ++i)
        xs.push_back(-limit + 2 * limit * i / even);
    for (double x = 1e-30; x < limit; x *= 1.001)
        xs.insert(xs.end(), {-x, x});
    return largestOver<double, long double>(function, xs);
}

} // namespace unroll::kernels::test
