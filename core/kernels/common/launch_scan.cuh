// SPDX-License-Identifier: GPL-3.0-or-later
// The launcher of a scan whose columns columnOf() makes. Included by .cu files only, which instantiate launchScan for their passes.
#pragma once

#include "core/kernels/common/launch_scan.h"
#include "core/kernels/common/walk_chunks.cuh"
#include "core/kernels/common/walk_columns.cuh"

#include <cuda_bf16.h>

namespace unroll::kernels {

template <class Scan>
cudaError_t launchScan(const Scan& scan, cudaStream_t stream, const ScanLaunch& launch, void* workspace)
{
    if (launch.way == ScanWay::Columns)
        return launchColumns<ColumnReadAhead<Scan>>(scan, stream);
    if constexpr (Chunkable<Scan>)
        return launchChunks(scan, launch, workspace, stream);
    else
        return cudaErrorInvalidValue;
}

} // namespace unroll::kernels
