// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/launch_scan.cuh"
#include "core/kernels/diag_scan/diag_scan_column.h"

namespace unroll::kernels {

using ComplexFloat = ComplexPair<float>;
using ComplexDouble = ComplexPair<double>;

template cudaError_t launchScan(const DiagScanForward<float, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const DiagScanForward<double, double>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const DiagScanForward<__nv_bfloat16, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const DiagScanForward<ComplexFloat, ComplexFloat>&, cudaStream_t, const ScanLaunch&,
                                void*);
template cudaError_t launchScan(const DiagScanForward<ComplexDouble, ComplexDouble>&, cudaStream_t, const ScanLaunch&,
                                void*);
template cudaError_t launchScan(const DiagScanBackward<float, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const DiagScanBackward<double, double>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const DiagScanBackward<__nv_bfloat16, float>&, cudaStream_t, const ScanLaunch&, void*);
template cudaError_t launchScan(const DiagScanBackward<ComplexFloat, ComplexFloat>&, cudaStream_t, const ScanLaunch&,
                                void*);
template cudaError_t launchScan(const DiagScanBackward<ComplexDouble, ComplexDouble>&, cudaStream_t, const ScanLaunch&,
                                void*);

} // namespace unroll::kernels
