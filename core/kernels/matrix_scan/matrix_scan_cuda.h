// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/matrix_scan/matrix_scan_params.h"

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

namespace unroll::kernels {

/// Start one pass on `stream` of the current device; every pointer is device memory. One thread walks one row of one matrix, so B * heads * n
/// well under 10,000 leaves a large GPU partly idle. Backward is two launches, see matrix_scan_column.h; with bf16 the gradients between them
/// are rounded to bf16. Io, State: float, float; double, double; __nv_bfloat16, float.
/// cudaErrorInvalidValue, and nothing is started, where a size is negative or above maxMatrixSize, a needed array is absent or there are too
/// many rows for a grid; otherwise what the launch says. Nothing to do (B or heads is 0) is success.
template <typename Io, typename State>
cudaError_t matrixScanForwardCuda(const MatrixScanForward<Io, State>& scan, cudaStream_t stream);
template <typename Io, typename State>
cudaError_t matrixScanBackwardCuda(const MatrixScanBackward<Io, State>& scan, cudaStream_t stream);

} // namespace unroll::kernels
