// SPDX-License-Identifier: GPL-3.0-or-later
// How far the functions of vector_math are from the exact ones. For tests and the accuracy table.
#pragma once

#include "core/kernels/vector_math/vector_math.h"

#include <string>
#include <vector>

namespace unroll::kernels::test {

/// A function with the largest error that vector_math_inl.h promises, in units of the last place of the exact result.
struct StatedError {
    VectorFunction function;
    const char* name;
    double ulps;
};

const std::vector<StatedError>& statedErrors();

/// The largest error found, and where.
struct LargestError {
    double ulps = 0;
    double at = 0;
};

/// Of each of some instruction sets (cpu_targets.h), over every `stride`-th of the 2^32 floats, NaN and infinities left
/// out, against fp64; stride 1 takes them all. On all threads; the results do not depend on their number. Results below
/// the smallest normal number m count as right within m, silu's within m |x|.
std::vector<LargestError> largestFloatErrors(VectorFunction function, std::int64_t stride,
                                             const std::vector<std::string>& targets);

/// Over some 350,000 doubles where the function is neither 0 nor at its limit, evenly spaced and in octaves, against
/// long double.
LargestError largestDoubleError(VectorFunction function);

} // namespace unroll::kernels::test
