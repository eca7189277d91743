// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cuda/ternary_cuda.h"

#include "core/kernels/ternary/ternary_product_block.h"

#include <cuda_runtime.h>

namespace unroll::kernels {
namespace {

constexpr int kBlockWarps = 4;
constexpr int kBlockThreads = kBlockWarps * kWarpLanes;

/// A warp a row: item `row` of p, by lanes of class Lane.
template <class Lane, class Params>
__global__ void __launch_bounds__(kBlockThreads) walkRows(const Params p, std::int64_t rows)
{
    __shared__ typename Lane::Shared shared[kBlockWarps];
    const int warp = static_cast<int>(threadIdx.x) / kWarpLanes;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kBlockWarps + warp;
    if (row >= rows)
        return;
    Lane lane(p, row, static_cast<int>(threadIdx.x) % kWarpLanes);
    UNROLL_ALL_TURNS
    for (int phase = 0; phase < Lane::phases; ++phase) {
        lane.run(phase, shared[warp]);
        __syncwarp();
    }
}

__device__ std::int64_t threadIndex()
{
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void __launch_bounds__(kBlockThreads)
    sumGainShares(const NormGradient p, std::int64_t rows, std::int64_t count)
{
    if (threadIndex() < count)
        sumGainShare(p, rows, threadIndex());
}

__global__ void __launch_bounds__(kBlockThreads) packWords(const WeightPacking p)
{
    if (threadIndex() < wordCount(p.shape))
        packWord(p, threadIndex());
}

__global__ void __launch_bounds__(kBlockThreads) unpackWeights(const WeightUnpacking p)
{
    if (threadIndex() < p.shape.out * p.shape.in)
        unpackWeight(p, threadIndex());
}

template <class Thread>
__global__ void __launch_bounds__(kProductThreads) multiplyFewRows(const TernaryProduct p, std::int64_t rows)
{
    __shared__ typename Thread::Shared shared;
    const Thread thread(p, rows, blockIdx.x, static_cast<int>(threadIdx.x));
    thread.run(0, shared);
    __syncthreads();
    thread.run(1, shared);
}

__global__ void __launch_bounds__(kProductThreads) multiplyTiles(const TernaryProduct p, std::int64_t rows)
{
    __shared__ TileThread::Shared shared;
    TileThread thread(p, rows, blockIdx.x, static_cast<int>(threadIdx.x));
    for (std::int64_t stage = 0; stage < thread.stages(); ++stage) {
        thread.stage(stage, shared);
        __syncthreads();
        thread.multiply(stage, shared);
        __syncthreads();
    }
    thread.store();
}

/// kernel(arguments...) in so many blocks.
template <class Kernel, class... Arguments>
cudaError_t launch(Kernel kernel, std::int64_t blocks, int threads, cudaStream_t stream, const Arguments&... arguments)
{
    if (blocks == 0)
        return cudaSuccess;
    if (blocks < 0 || blocks > 0x7fffffff)
        return cudaErrorInvalidValue;
    kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(arguments...);
    return cudaGetLastError();
}

/// A thread an index.
template <class Kernel, class... Arguments>
cudaError_t launchThreads(Kernel kernel, std::int64_t count, cudaStream_t stream, const Arguments&... arguments)
{
    return launch(kernel, (count + kBlockThreads - 1) / kBlockThreads, kBlockThreads, stream, arguments...);
}

template <class Lane, class Params>
cudaError_t launchRows(const Params& p, std::int64_t rows, cudaStream_t stream)
{
    return launch(walkRows<Lane, Params>, (rows + kBlockWarps - 1) / kBlockWarps, kBlockThreads, stream, p, rows);
}

bool isThere(const PackedShape& shape)
{
    return shape.out >= 1 && shape.in >= 1;
}

bool isThere(const std::uint8_t* packed)
{
    return packed != nullptr && reinterpret_cast<std::uintptr_t>(packed) % sizeof(std::uint32_t) == 0;
}

bool isThere(const OutputScales& scale)
{
    return scale.values != nullptr && scale.outputs >= 1;
}

} // namespace

cudaError_t quantiseRowsOnCuda(const RowQuantisation& p, std::int64_t rows, cudaStream_t stream)
{
    const bool complete = p.x && p.gain && p.codes && p.step && p.inverseRms;
    if (rows < 0 || p.in < 1 || (rows > 0 && !complete))
        return cudaErrorInvalidValue;
    return launchRows<QuantisingLane>(p, rows, stream);
}

cudaError_t normBackwardOnCuda(const NormGradient& p, std::int64_t rows, cudaStream_t stream)
{
    const bool complete = p.gradN && p.x && p.inverseRms && p.gain && p.gradX && p.gainShares;
    if (rows < 0 || p.in < 1 || (rows > 0 && !complete))
        return cudaErrorInvalidValue;
    if (const cudaError_t error = launchRows<NormGradientLane>(p, rows, stream); error != cudaSuccess)
        return error;
    const std::int64_t sums = (rows + kGainRows - 1) / kGainRows * p.in;
    return launchThreads(sumGainShares, sums, stream, p, rows, sums);
}

cudaError_t findScalesOnCuda(const WeightScales& p, cudaStream_t stream)
{
    const bool complete = p.weight && p.rowSums && p.scale;
    if (!isThere(p.shape) || p.parts < 1 || p.shape.out % p.parts != 0 || !complete)
        return cudaErrorInvalidValue;
    if (const cudaError_t error = launchRows<AbsoluteSumLane>(p, p.shape.out, stream); error != cudaSuccess)
        return error;
    return launchRows<ScaleLane>(p, p.parts, stream);
}

cudaError_t packWeightOnCuda(const WeightPacking& p, cudaStream_t stream)
{
    if (!isThere(p.shape) || !p.weight || !isThere(p.scale) || !isThere(p.packed))
        return cudaErrorInvalidValue;
    return launchThreads(packWords, wordCount(p.shape), stream, p);
}

cudaError_t unpackWeightOnCuda(const WeightUnpacking& p, cudaStream_t stream)
{
    if (!isThere(p.shape) || !isThere(p.packed) || !isThere(p.scale) || !p.effective)
        return cudaErrorInvalidValue;
    return launchThreads(unpackWeights, p.shape.out * p.shape.in, stream, p);
}

cudaError_t multiplyOnCuda(const TernaryProduct& p, std::int64_t rows, cudaStream_t stream)
{
    const bool complete = p.codes && p.step && p.y;
    if (rows < 0 || !isThere(p.shape) || !isThere(p.packed) || !isThere(p.scale) || (rows > 0 && !complete))
        return cudaErrorInvalidValue;
    return withProductThread(rows, [&](auto type) {
        using Thread = typename decltype(type)::type;
        const std::int64_t blocks = Thread::blocks(p.shape, rows);
        if constexpr (std::is_same_v<Thread, TileThread>)
            return launch(multiplyTiles, blocks, kProductThreads, stream, p, rows);
        else
            return launch(multiplyFewRows<Thread>, blocks, kProductThreads, stream, p, rows);
    });
}

} // namespace unroll::kernels
