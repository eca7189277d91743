// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/activate/element_function.h"

#include <cstdint>

namespace unroll::kernels {

/// y[i] = function(x[i]) for i < count, on the calling thread.
void activateOnCpu(ElementFunction function, const float* x, float* y, std::int64_t count);
void activateOnCpu(ElementFunction function, const double* x, double* y, std::int64_t count);

/// dx[i] = dy[i] times the function's slope; `kept` is x, or y for sigmoid and tanh.
void activateBackwardOnCpu(ElementFunction function, const float* dy, const float* kept, float* dx, std::int64_t count);
void activateBackwardOnCpu(ElementFunction function, const double* dy, const double* kept, double* dx,
                           std::int64_t count);

} // namespace unroll::kernels
