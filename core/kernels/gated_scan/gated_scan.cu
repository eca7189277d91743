// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan_column.h"

#include "core/kernels/common/launch_scan.cuh"

namespace unroll::kernels {

template cudaError_t launchScan(const GatedScanForward<float, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const GatedScanForward<double, double>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const GatedScanForward<__nv_bfloat16, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const GatedScanBackward<float, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const GatedScanBackward<double, double>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const GatedScanBackward<__nv_bfloat16, float>&, cudaStream_t, const ScanLaunch&, void*);

} // namespace unroll::kernels
