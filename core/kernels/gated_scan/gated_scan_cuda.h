// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/gated_scan/gated_scan_params.h"

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

namespace unroll::kernels {

/// Start one pass on `stream` of the current device; every pointer is device memory. One thread walks one column, so B * d well under
/// 10,000 leaves a large GPU partly idle.
/// cudaErrorInvalidValue, and nothing is started, where a size is negative, a needed array is absent or there are too many columns for a
/// grid; otherwise what the launch says. Nothing to do (B or d is 0) is success.
cudaError_t gatedScanForwardCuda(const GatedScanForward<float, float>& scan, cudaStream_t stream);
cudaError_t gatedScanForwardCuda(const GatedScanForward<double, double>& scan, cudaStream_t stream);
cudaError_t gatedScanForwardCuda(const GatedScanForward<__nv_bfloat16, float>& scan, cudaStream_t stream);
cudaError_t gatedScanBackwardCuda(const GatedScanBackward<float, float>& scan, cudaStream_t stream);
cudaError_t gatedScanBackwardCuda(const GatedScanBackward<double, double>& scan, cudaStream_t stream);
cudaError_t gatedScanBackwardCuda(const GatedScanBackward<__nv_bfloat16, float>& scan, cudaStream_t stream);

} // namespace unroll::kernels
