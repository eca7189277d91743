// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/cuda/launch_scan.h"
#include "core/kernels/matrix_scan/matrix_scan_tile.h"

namespace unroll::kernels {

/// launchScan (launch_scan.h) for matrices, one launch each way: a thread has one row of one matrix, a block a few
/// matrices (matrix_scan_tile.h). In chunks up to kMaxChunkedMatrix rows.
template <typename Io, typename State>
cudaError_t launchScan(const MatrixScanForward<Io, State>& scan, cudaStream_t stream, const ScanLaunch& launch = {},
                       void* workspace = nullptr);
template <typename Io, typename State>
cudaError_t launchScan(const MatrixScanBackward<Io, State>& scan, cudaStream_t stream, const ScanLaunch& launch = {},
                       void* workspace = nullptr);

} // namespace unroll::kernels
