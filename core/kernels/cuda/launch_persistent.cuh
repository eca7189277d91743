// SPDX-License-Identifier: GPL-3.0-or-later
// Included by .cu files only, which instantiate launchPersistent.
#pragma once

#include "core/kernels/cuda/launch_persistent.h"

#include <cuda_runtime.h>

namespace unroll::kernels {

/// A thread as it sees its block.
template <class Pass>
struct BlockTeam {
    PersistentThread<Pass> thread;
    std::int64_t block;

    template <class Each>
    __device__ void each(const Each& each)
    {
        each(thread);
        __syncthreads();
    }
};

template <class Pass>
__global__ void __launch_bounds__(kPersistentThreads, 1) persistentSteps(const Pass pass, const PersistentPlan plan)
{
    extern __shared__ __align__(16) unsigned char memory[];
    auto* shared = reinterpret_cast<typename Pass::Number*>(memory);
    BlockTeam<Pass> team{{pass, plan, blockIdx.x, static_cast<int>(threadIdx.x), shared}, blockIdx.x};
    walkPersistent(pass, plan, team);
}

/// Asks for all the shared memory that a block may have, so that what the kernel may take does not depend on the
/// launch.
template <class Pass>
cudaError_t askForAllSharedMemory(int* most)
{
    int device = 0;
    if (const auto error = cudaGetDevice(&device))
        return error;
    if (const auto error = cudaDeviceGetAttribute(most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device))
        return error;
    return cudaFuncSetAttribute(persistentSteps<Pass>, cudaFuncAttributeMaxDynamicSharedMemorySize, *most);
}

/// Multiprocessors of the current device, 0 where it has no cooperative launches.
inline cudaError_t cooperativeMultiprocessors(int* count)
{
    int device = 0, cooperative = 0;
    if (const auto error = cudaGetDevice(&device))
        return error;
    if (const auto error = cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device))
        return error;
    *count = 0;
    return cooperative ? cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device) : cudaSuccess;
}

template <class Pass>
cudaError_t residentBlocks(const Pass& pass, std::int64_t* blocks)
{
    *blocks = 0;
    const std::size_t bytes = persistentBytes(pass);
    int most = 0, multiprocessors = 0, each = 0;
    if (const auto error = askForAllSharedMemory<Pass>(&most))
        return error;
    if (bytes > static_cast<std::size_t>(most))
        return cudaSuccess;
    if (const auto error = cooperativeMultiprocessors(&multiprocessors))
        return error;
    if (const auto error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, persistentSteps<Pass>, kPersistentThreads, bytes))
        return error;
    *blocks = static_cast<std::int64_t>(each) * multiprocessors;
    return cudaSuccess;
}

template <class Pass>
cudaError_t launchPersistent(const Pass& pass, const StepsLaunch& launch, std::uint32_t* words, cudaStream_t stream)
{
    const bool covers = launch.way == StepsWay::Persistent && launch.slices * kPersistentUnits >= pass.domain().width &&
                        launch.groups * launch.tiles >= tilesOf(pass.domain().batch);
    if (!complete(pass) || !covers || words == nullptr || launch.blocks() <= 0 || launch.blocks() > 0x7fffffff)
        return cudaErrorInvalidValue;
    int most = 0;
    if (const auto error = askForAllSharedMemory<Pass>(&most))
        return error;
    const auto count = static_cast<std::size_t>(launch.blocks());
    if (const auto error = cudaMemsetAsync(words, 0, count * sizeof(std::uint32_t), stream))
        return error;
    PersistentPlan plan{launch, {words, launch.slices}};
    Pass given = pass;
    void* arguments[] = {&given, &plan};
    return cudaLaunchCooperativeKernel(persistentSteps<Pass>, dim3(static_cast<unsigned>(count)),
                                       dim3(kPersistentThreads), arguments, persistentBytes(pass), stream);
}

} // namespace unroll::kernels
