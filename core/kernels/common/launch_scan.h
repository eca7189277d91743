// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime_api.h>

namespace unroll::kernels {

/// Starts one pass of a scan on `stream` of the current device; every pointer in it is device memory. One thread walks one column, so B * d
/// well under 10,000 leaves a large GPU partly idle. Sums over the batch have to follow (batch_sum_cuda.h).
/// Scan: the forward or backward parameters of a kernel in the types that its .cu lists: float, double, __nv_bfloat16 with states of float,
/// and complex pairs where the kernel takes them.
/// cudaErrorInvalidValue, and nothing is started, where the parameters are not complete() or there are too many columns for a grid;
/// otherwise what the launch says. Nothing to do (B or d is 0) is success.
template <class Scan>
cudaError_t launchScan(const Scan& scan, cudaStream_t stream);

} // namespace unroll::kernels
