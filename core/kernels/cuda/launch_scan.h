// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/scan/scan_launch.h"

#include <cuda_runtime_api.h>

namespace unroll::kernels {

/// Starts one pass of a scan on `stream` of the current device; every pointer in it is device memory. By columns one
/// thread walks one column, so B * d well under 10,000 leaves a large GPU partly idle; chooseLaunch() then cuts time
/// into chunks, which need a workspace (ChunkMemory). Sums over the batch have to follow (batch_sum_cuda.h).
/// Scan: the forward or backward parameters of a kernel in the types that its .cu lists: float, double, __nv_bfloat16
/// with states of float, and complex pairs where the kernel takes them.
/// cudaErrorInvalidValue, and nothing is started, where the parameters are not complete(), there are too many columns
/// or tiles for a grid, or the launch is none that the scan has; otherwise what the launch says. Nothing to do (B or d
/// is 0) by columns is success.
template <class Scan>
cudaError_t launchScan(const Scan& scan, cudaStream_t stream, const ScanLaunch& launch = {}, void* workspace = nullptr);

/// A pass in its types, compiled. A .cu lists these.
#define UNROLL_LAUNCH_SCAN(Pass, Io, State)                                                                            \
    template cudaError_t launchScan(const Pass<Io, State>&, cudaStream_t, const ScanLaunch&, void*)
#define UNROLL_LAUNCH_REAL_SCANS(Pass)                                                                                 \
    UNROLL_LAUNCH_SCAN(Pass, float, float);                                                                            \
    UNROLL_LAUNCH_SCAN(Pass, double, double);                                                                          \
    UNROLL_LAUNCH_SCAN(Pass, __nv_bfloat16, float)

} // namespace unroll::kernels
