// SPDX-License-Identifier: GPL-3.0-or-later
// The ternary ops on the CPU: arguments checked, and handed to the raw kernels in shares of threads.
#pragma once

#include "core/kernels/common/tensor_checks.h"

#include <tuple>

namespace unroll::kernels {

using MaybeTensor = std::optional<at::Tensor>;
using ThreeTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using TwoTensors = std::tuple<at::Tensor, at::Tensor>;

/// codes, step, inverse rms
ThreeTensors ternaryRowsOnCpu(const at::Tensor& x, const at::Tensor& gain, double epsilon);

/// packed, scale
TwoTensors ternaryPackOnCpu(const at::Tensor& weight, std::int64_t scales);

at::Tensor ternaryUnpackOnCpu(const at::Tensor& packed, const at::Tensor& scale, std::int64_t out, std::int64_t in);

at::Tensor ternaryProductOnCpu(const at::Tensor& codes, const at::Tensor& step, const at::Tensor& packed,
                               const at::Tensor& scale, const MaybeTensor& bias, std::int64_t out);

/// Gradients of x and of gain.
TwoTensors ternaryNormBackwardOnCpu(const at::Tensor& gradN, const at::Tensor& x, const at::Tensor& inverseRms,
                                    const at::Tensor& gain);

} // namespace unroll::kernels
