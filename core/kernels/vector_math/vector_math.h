// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::kernels {

enum class VectorFunction { Exp, Sigmoid, SigmoidComplement, Silu, Tanh };

/// out[i] = function(in[i]) for i < count, by the same code that the kernels inline (vector_math_inl.h gives its error
/// bounds). in and out may be the same array. One thread.
void applyVectorFunction(VectorFunction function, const float* in, float* out, std::int64_t count);
void applyVectorFunction(VectorFunction function, const double* in, double* out, std::int64_t count);

} // namespace unroll::kernels
