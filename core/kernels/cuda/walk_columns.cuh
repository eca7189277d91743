// SPDX-License-Identifier: GPL-3.0-or-later
// One CUDA thread for each column of a scan. Included by .cu files only.
#pragma once

#include "core/kernels/cuda/column_launch.h"
#include "core/kernels/scan/column_view.h"

#include <cuda_runtime.h>

#include <utility>

namespace unroll::kernels {

/// Blocks that a multiprocessor holds at least. A column whose state is fp32 is told four, 128 registers a thread:
/// gated_scan took 146, and its 512 blocks of 64 x 1024 columns two turns of a GPU of 132 multiprocessors
/// (docs/benchmarks/gpu-h100.md).
template <class Scan>
constexpr int residentColumnBlocks()
{
    using Walked = decltype(columnOf(std::declval<const Scan&>(), 0, 0));
    if constexpr (requires { typename Walked::State; })
        return sizeof(typename Walked::State) == sizeof(float) ? 4 : 1;
    else
        return 1;
}

/// Column is made from (scan, sequence, unit) and has run().
template <class Column, class Scan>
__global__ void __launch_bounds__(128, residentColumnBlocks<Scan>()) walkColumns(const Scan scan)
{
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (index < scan.batch * scan.width)
        Column(scan, index / scan.width, index % scan.width).run();
}

/// cudaErrorInvalidValue where the arguments are not complete() or too many for a grid, else what the launch says.
template <class Column, class Scan>
cudaError_t launchColumns(const Scan& scan, cudaStream_t stream)
{
    if (!complete(scan))
        return cudaErrorInvalidValue;
    if (scan.batch * scan.width == 0)
        return cudaSuccess;
    const ColumnGrid grid = columnGrid(scan.batch * scan.width);
    if (!grid)
        return cudaErrorInvalidValue;
    walkColumns<Column><<<grid.blocks, grid.threads, 0, stream>>>(scan);
    return cudaGetLastError();
}

template <class Scan>
struct ColumnReadAhead {
    UNROLL_HOST_DEVICE ColumnReadAhead(const Scan& s, std::int64_t b, std::int64_t j) : scan(s), batch(b), unit(j) {}
    UNROLL_HOST_DEVICE void run() { walkColumn(scan, batch, unit); }

    const Scan& scan;
    std::int64_t batch, unit;
};

} // namespace unroll::kernels
