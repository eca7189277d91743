// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/common/launch_scan.h"
#include "core/kernels/matrix_scan/matrix_scan_params.h"

namespace unroll::kernels {

/// launchScan (launch_scan.h) for matrices: one thread walks one row of one matrix, so B * heads * n well under 10,000 leaves a large GPU
/// partly idle; there are no chunks. Backward is two launches, see matrix_scan_column.h; with bf16 the gradients between them are rounded to bf16.
template <typename Io, typename State>
cudaError_t launchScan(const MatrixScanForward<Io, State>& scan, cudaStream_t stream, const ScanLaunch& launch = {},
                       void* workspace = nullptr);
template <typename Io, typename State>
cudaError_t launchScan(const MatrixScanBackward<Io, State>& scan, cudaStream_t stream, const ScanLaunch& launch = {},
                       void* workspace = nullptr);

} // namespace unroll::kernels
