// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/sru_scan/sru_scan_params.h"

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

namespace unroll::kernels {

/// Start one pass on `stream` of the current device; every pointer is device memory. One thread walks one column, so B * d well under
/// 10,000 leaves a large GPU partly idle.
/// cudaErrorInvalidValue, and nothing is started, where a size is negative, a needed array is absent or there are too many columns for a
/// grid; otherwise what the launch says. Nothing to do (B or d is 0) is success.
cudaError_t sruScanForwardCuda(const SruScanForward<float, float>& scan, cudaStream_t stream);
cudaError_t sruScanForwardCuda(const SruScanForward<double, double>& scan, cudaStream_t stream);
cudaError_t sruScanForwardCuda(const SruScanForward<__nv_bfloat16, float>& scan, cudaStream_t stream);
cudaError_t sruScanBackwardCuda(const SruScanBackward<float, float>& scan, cudaStream_t stream);
cudaError_t sruScanBackwardCuda(const SruScanBackward<double, double>& scan, cudaStream_t stream);
cudaError_t sruScanBackwardCuda(const SruScanBackward<__nv_bfloat16, float>& scan, cudaStream_t stream);

} // namespace unroll::kernels
