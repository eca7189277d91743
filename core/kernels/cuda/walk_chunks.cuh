// SPDX-License-Identifier: GPL-3.0-or-later
// Few columns of many steps: a linear scan cut into chunks of time, each element read once and written once, in one
// launch. Included by .cu files only.
#pragma once

#include "core/kernels/scan/chunk_thread.h"

#include <cuda_runtime.h>

namespace unroll::kernels {

/// The number of this block's tile, the same for all its threads. Waits at a barrier.
__device__ inline unsigned drawTile(unsigned* ticket)
{
    __shared__ unsigned drawn;
    if (threadIdx.x == 0)
        drawn = atomicAdd(ticket, 1u);
    __syncthreads();
    return drawn;
}

/// Two blocks on a multiprocessor, so that one works while the other waits for its state: at most 128 registers a
/// thread.
template <class Scan>
__global__ void __launch_bounds__(kChunkWarps* kChunkLanes, 2)
    walkChunks(const Scan scan, const ChunkPlan<typename ColumnOf<Scan>::State> plan)
{
    __shared__ ChunkShared<typename ColumnOf<Scan>::State> shared;
    const ChunkTile tile = ChunkTile::of(drawTile(plan.ticket), plan.groups);
    ChunkThread<Scan> thread(scan, plan, tile, static_cast<int>(threadIdx.x));
    thread.gather(shared);
    __syncthreads();
    if (thread.looksBack())
        thread.lookBack(shared);
    __syncthreads();
    thread.walk(shared);
    __syncthreads();
    if (thread.closes())
        thread.close(shared);
}

/// `workspace` is ChunkMemory<Scan>'s, device memory. cudaErrorInvalidValue where the arguments are not complete() or
/// too many for a grid, else what the launch says.
template <class Scan>
cudaError_t launchChunks(const Scan& scan, const ScanLaunch& launch, void* workspace, cudaStream_t stream)
{
    if (!complete(scan) || workspace == nullptr || launch.chunkSteps != chunkStepsOf<Scan>())
        return cudaErrorInvalidValue;
    const auto plan = ChunkMemory<Scan>::plan(scan, launch, workspace);
    const std::int64_t tiles = plan.chunks * plan.groups;
    if (tiles <= 0 || tiles > 0x7fffffff)
        return cudaErrorInvalidValue;
    const std::size_t zeroed = ChunkMemory<Scan>::workspace(scan, launch).zeroedBytes;
    if (const cudaError_t error = cudaMemsetAsync(workspace, 0, zeroed, stream); error != cudaSuccess)
        return error;
    walkChunks<Scan><<<static_cast<unsigned>(tiles), kChunkWarps * kChunkLanes, 0, stream>>>(scan, plan);
    return cudaGetLastError();
}

} // namespace unroll::kernels
