// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/vector_math/vector_math_case.h"

#include "core/kernels/cpu/cpu_targets.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>

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
    }
    return 0;
}

/// The absolute error allowed where the result leaves the normal numbers.
template <typename T, typename Wide>
Wide resolution(VectorFunction function, T x)
{
    const Wide smallest = std::numeric_limits<T>::min();
    return function == VectorFunction::Silu && x < -1 ? -smallest * static_cast<Wide>(x) : smallest;
}

/// The distance from the exact |result| rounded to T to the next number away from 0; at the end of the range, the one
/// below.
template <typename T, typename Wide>
Wide lastPlace(Wide want)
{
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T largest = std::numeric_limits<T>::max();
    const T rounded = std::min(static_cast<T>(std::min<Wide>(std::abs(want), largest)), std::nextafter(largest, T(0)));
    return static_cast<Wide>(std::bit_cast<T>(std::bit_cast<Bits>(rounded) + 1)) - static_cast<Wide>(rounded);
}

template <typename T, typename Wide>
double errorInUlps(VectorFunction function, T x, T got, Wide want)
{
    constexpr double wrong = std::numeric_limits<double>::infinity();
    if (std::isnan(got)) // compares with nothing
        return wrong;
    const Wide floor = resolution<T, Wide>(function, x);
    if (std::abs(want) < 2 * floor)
        return std::abs(got - want) <= static_cast<Wide>(1.01) * floor ? 0 : wrong;
    const bool beyond = std::isinf(static_cast<T>(want));
    if (std::isinf(got) || beyond)
        return std::isinf(got) && beyond ? 0 : wrong;
    return static_cast<double>(std::abs(got - want) / lastPlace<T, Wide>(want));
}

LargestError worse(const LargestError& a, const LargestError& b)
{
    return b.ulps > a.ulps || (b.ulps == a.ulps && b.at < a.at) ? b : a;
}

/// The largest error over those of `count` numbers that are finite; `want` are the exact results.
template <typename T, typename Wide>
LargestError largestOver(VectorFunction function, const T* xs, const Wide* want, std::int64_t count)
{
    std::vector<T> ys(static_cast<std::size_t>(count));
    applyVectorFunction(function, xs, ys.data(), count);
    LargestError worst;
    for (std::int64_t i = 0; i < count; ++i)
        if (std::isfinite(xs[i]))
            if (const double error = errorInUlps<T, Wide>(function, xs[i], ys[static_cast<std::size_t>(i)], want[i]);
                !(error <= worst.ulps))
                worst = {error, static_cast<double>(xs[i])};
    return worst;
}

constexpr std::int64_t kAThread = 1 << 14; ///< numbers

/// Floats, and what the function exactly gives.
struct FloatsAndResults {
    std::vector<float> xs;
    std::vector<double> want;

    FloatsAndResults(VectorFunction function, std::int64_t first, std::int64_t count, std::int64_t stride)
        : xs(static_cast<std::size_t>(count)), want(xs.size())
    {
        at::parallel_for(0, count, kAThread, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const auto x = std::bit_cast<float>(static_cast<std::uint32_t>((first + i) * stride));
                xs[static_cast<std::size_t>(i)] = x;
                want[static_cast<std::size_t>(i)] = exact(function, static_cast<double>(x));
            }
        });
    }

    LargestError largest(VectorFunction function) const
    {
        LargestError worst;
        std::mutex mutex;
        at::parallel_for(0, std::ssize(xs), kAThread, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; i += kAThread) {
                const LargestError found =
                    largestOver(function, xs.data() + i, want.data() + i, std::min(kAThread, end - i));
                const std::lock_guard lock(mutex);
                worst = worse(worst, found);
            }
        });
        return worst;
    }
};

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
                                                    {VectorFunction::Tanh, "tanh", 4}};
    return errors;
}

std::vector<LargestError> largestFloatErrors(VectorFunction function, std::int64_t stride,
                                             const std::vector<std::string>& targets)
{
    constexpr std::int64_t patterns = std::int64_t(1) << 32, atOnce = 1 << 22;
    const std::int64_t count = (patterns + stride - 1) / stride;
    std::vector<LargestError> worst(targets.size());
    for (std::int64_t first = 0; first < count; first += atOnce) {
        const FloatsAndResults floats(function, first, std::min(atOnce, count - first), stride);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const ScopedCpuTarget scope(targets[i]);
            worst[i] = worse(worst[i], floats.largest(function));
        }
    }
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
    std::vector<long double> want;
    for (const double x : xs)
        want.push_back(exact<long double>(function, x));
    return largestOver(function, xs.data(), want.data(), std::ssize(xs));
}

} // namespace unroll::kernels::test
