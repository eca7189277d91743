// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan_column.h"

#include "core/kernels/common/launch_scan.cuh"

namespace unroll::kernels {

template cudaError_t launchScan(const SruScanForward<float, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const SruScanForward<double, double>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const SruScanForward<__nv_bfloat16, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const SruScanBackward<float, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const SruScanBackward<double, double>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const SruScanBackward<__nv_bfloat16, float>&, cudaStream_t, const ScanLaunch&, void*);

} // namespace unroll::kernels
