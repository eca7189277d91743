// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/diag_scan/diag_scan_params.h"

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

namespace unroll::kernels {

/// Start one pass on `stream` of the current device; every pointer is device memory. One thread walks one column, so B * d well under
/// 10,000 leaves a large GPU partly idle. The gradient of a constant a is left a sequence each: a sum over the batch has to follow.
/// Io, State: float, float; double, double; __nv_bfloat16, float; ComplexPair<float> or ComplexPair<double>, twice.
/// cudaErrorInvalidValue, and nothing is started, where a size is negative, a needed array is absent or there are too many columns for a
/// grid; otherwise what the launch says. Nothing to do (B or d is 0) is success.
template <typename Io, typename State>
cudaError_t diagScanForwardCuda(const DiagScanForward<Io, State>& scan, cudaStream_t stream);
template <typename Io, typename State>
cudaError_t diagScanBackwardCuda(const DiagScanBackward<Io, State>& scan, cudaStream_t stream);

} // namespace unroll::kernels
