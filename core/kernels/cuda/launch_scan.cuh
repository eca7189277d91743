// SPDX-License-Identifier: GPL-3.0-or-later
// The launcher of a scan whose columns columnOf() makes. Included by .cu files only.
#pragma once

#include "core/kernels/cuda/launch_scan.h"
#include "core/kernels/cuda/walk_chunks.cuh"
#include "core/kernels/cuda/walk_columns.cuh"

#include <cuda_bf16.h>

#include <array>
#include <variant>

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

/// The launchers of all scans of a CpuPass: asked for so that they are compiled.
template <class... Scans>
std::array<const void*, sizeof...(Scans)> launchersOf(const std::variant<const Scans*...>&)
{
    return {reinterpret_cast<const void*>(&launchScan<Scans>)...};
}

/// What scans.cu lists: both passes of a scan in the types of its <Name>Pass, and in bf16.
#define UNROLL_LAUNCH_SCANS(Name)                                                                                      \
    template std::array<const void*, std::variant_size_v<Name##Pass>> launchersOf(const Name##Pass&);                  \
    UNROLL_LAUNCH_SCAN(Name##Forward, __nv_bfloat16, float);                                                           \
    UNROLL_LAUNCH_SCAN(Name##Backward, __nv_bfloat16, float)

} // namespace unroll::kernels
