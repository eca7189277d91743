// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/matrix_scan/matrix_scan_cuda.h"

#include "core/kernels/common/walk_columns.cuh"
#include "core/kernels/matrix_scan/matrix_scan_column.h"

#include <cuda_bf16.h>

#include <type_traits>

namespace unroll::kernels {
namespace {

/// Calls launch(capacity) with the smallest number of registers that a row of n numbers fits into.
template <class Launch>
cudaError_t withCapacity(std::int64_t n, const Launch& launch)
{
    if (n <= 4)
        return launch(std::integral_constant<int, 4>{});
    if (n <= 8)
        return launch(std::integral_constant<int, 8>{});
    if (n <= 16)
        return launch(std::integral_constant<int, 16>{});
    return launch(std::integral_constant<int, maxMatrixSize>{});
}

} // namespace

template <typename Io, typename State>
cudaError_t launchScan(const MatrixScanForward<Io, State>& scan, cudaStream_t stream, const ScanLaunch& launch, void*)
{
    if (launch.way != ScanWay::Columns)
        return cudaErrorInvalidValue;
    return withCapacity(scan.size, [&](auto capacity) {
        return launchColumns<MatrixScanForwardColumn<Io, State, capacity()>>(scan, stream);
    });
}

template <typename Io, typename State>
cudaError_t launchScan(const MatrixScanBackward<Io, State>& scan, cudaStream_t stream, const ScanLaunch& launch, void*)
{
    if (launch.way != ScanWay::Columns)
        return cudaErrorInvalidValue;
    return withCapacity(scan.size, [&](auto capacity) {
        const cudaError_t error = launchColumns<MatrixScanBackwardColumn<Io, State, capacity()>>(scan, stream);
        if (error != cudaSuccess)
            return error;
        return launchColumns<MatrixScanProductColumn<Io, State, capacity()>>(MatrixScanProducts<Io, State>(scan),
                                                                             stream);
    });
}

UNROLL_LAUNCH_REAL_SCANS(MatrixScanForward);
UNROLL_LAUNCH_REAL_SCANS(MatrixScanBackward);

} // namespace unroll::kernels
