// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cuda/matrix_scan_cuda.h"
#include "core/kernels/cuda/walk_chunks.cuh"
#include "core/kernels/matrix_scan/matrix_scan_thread.h"

#include <cuda_bf16.h>

#include <type_traits>

namespace unroll::kernels {
namespace {

/// Blocks that a multiprocessor holds at least: without a number the compiler saves registers that nothing else needs,
/// and puts some into memory for it.
template <class Scan>
constexpr int kResidentBlocks = sizeof(typename Scan::StateType) == sizeof(double) ? 2 : 4;

template <typename State>
__device__ State* sharedNumbers()
{
    extern __shared__ __align__(16) unsigned char memory[];
    return reinterpret_cast<State*>(memory);
}

/// All steps of some matrices.
template <class Scan, int capacity>
__global__ void __launch_bounds__(128, kResidentBlocks<Scan>)
    matrixByColumns(const Scan scan, const MatrixPlan<typename Scan::StateType> plan)
{
    MatrixThread<Scan, capacity> thread(scan, plan, blockIdx.x, static_cast<int>(threadIdx.x),
                                        sharedNumbers<typename Scan::StateType>());
    thread.readFirst();
    if (scan.steps == 0)
        thread.copyFirstToLast();
    for (std::int64_t chunk = 0; chunk * plan.tile.steps() < scan.steps; ++chunk) {
        thread.begin(chunk);
        thread.stage();
        __syncthreads();
        thread.walk(false);
        __syncthreads();
        if constexpr (Scan::backward) {
            thread.multiply();
            __syncthreads();
        }
        thread.store();
        __syncthreads();
    }
}

/// One chunk of the steps of some matrices.
template <class Scan, int capacity>
__global__ void __launch_bounds__(128, kResidentBlocks<Scan>)
    matrixInChunks(const Scan scan, const MatrixPlan<typename Scan::StateType> plan)
{
    const ChunkTile tile = ChunkTile::of(drawTile(plan.ticket), plan.groups);
    MatrixThread<Scan, capacity> thread(scan, plan, tile.group, static_cast<int>(threadIdx.x),
                                        sharedNumbers<typename Scan::StateType>());
    thread.begin(tile.chunk);
    thread.stage();
    __syncthreads();
    thread.gather();
    __syncthreads();
    if (thread.looksBack())
        thread.combine();
    __syncthreads();
    if (thread.looksBack())
        thread.lookBack();
    __syncthreads();
    thread.walk(true);
    __syncthreads();
    if constexpr (Scan::backward) {
        thread.multiply();
        __syncthreads();
    }
    thread.store();
}

/// More than 48 KB of shared memory must be asked for; 99 KB is what every GPU from compute capability 8.0 on has. What
/// is asked for holds for the kernel, not for a launch, so it is the same whatever the launch: host threads that start
/// others change nothing.
template <typename State, int capacity, class Kernel>
cudaError_t askForSharedMemory(Kernel kernel, ScanWay way)
{
    const std::size_t bytes = MatrixTile::mostNumbers(capacity, way, sizeof(State)) * sizeof(State);
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

template <class Kernel, class Scan, typename State>
cudaError_t launchBlocks(Kernel kernel, std::int64_t blocks, const Scan& scan, const MatrixPlan<State>& plan,
                         cudaStream_t stream)
{
    const std::size_t bytes = plan.tile.sharedNumbers * sizeof(State);
    kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(plan.tile.threads()), bytes, stream>>>(scan, plan);
    return cudaGetLastError();
}

bool isGrid(std::int64_t blocks)
{
    return blocks > 0 && blocks <= 0x7fffffff;
}

template <class Scan, int capacity>
cudaError_t launchColumns(const Scan& scan, const ScanLaunch& launch, cudaStream_t stream)
{
    const auto plan = matrixPlan(scan, {}, nullptr);
    if (!isGrid(plan.groups))
        return cudaErrorInvalidValue;
    const auto kernel = matrixByColumns<Scan, capacity>;
    if (const auto error = askForSharedMemory<typename Scan::StateType, capacity>(kernel, launch.way))
        return error;
    return launchBlocks(kernel, plan.groups, scan, plan, stream);
}

template <class Scan, int capacity>
cudaError_t launchChunks(const Scan& scan, const ScanLaunch& launch, void* workspace, cudaStream_t stream)
{
    if (workspace == nullptr || launch.chunkSteps != sizesForLaunch(scan).chunkSteps)
        return cudaErrorInvalidValue;
    const auto plan = matrixPlan(scan, launch, workspace);
    const std::int64_t blocks = plan.chunks * plan.groups;
    if (!isGrid(blocks))
        return cudaErrorInvalidValue;
    const auto kernel = matrixInChunks<Scan, capacity>;
    if (const auto error = askForSharedMemory<typename Scan::StateType, capacity>(kernel, launch.way))
        return error;
    if (const auto error = cudaMemsetAsync(workspace, 0, matrixWorkspace(scan, launch).zeroedBytes, stream))
        return error;
    return launchBlocks(kernel, blocks, scan, plan, stream);
}

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
    return launch(std::integral_constant<int, kMaxMatrixSize>{});
}

template <class Scan>
cudaError_t start(const Scan& scan, cudaStream_t stream, const ScanLaunch& launch, void* workspace)
{
    if (!complete(scan))
        return cudaErrorInvalidValue;
    if (scan.batch * scan.width == 0)
        return cudaSuccess;
    return withCapacity(scan.size, [&](auto capacity) {
        if (launch.way == ScanWay::Columns)
            return launchColumns<Scan, capacity()>(scan, launch, stream);
        if constexpr (capacity() <= kMaxChunkedMatrix)
            return launchChunks<Scan, capacity()>(scan, launch, workspace, stream);
        else
            return cudaErrorInvalidValue;
    });
}

} // namespace

template <typename Io, typename State>
cudaError_t launchScan(const MatrixScanForward<Io, State>& scan, cudaStream_t stream, const ScanLaunch& launch,
                       void* workspace)
{
    return start(scan, stream, launch, workspace);
}

template <typename Io, typename State>
cudaError_t launchScan(const MatrixScanBackward<Io, State>& scan, cudaStream_t stream, const ScanLaunch& launch,
                       void* workspace)
{
    return start(scan, stream, launch, workspace);
}

UNROLL_LAUNCH_REAL_SCANS(MatrixScanForward);
UNROLL_LAUNCH_REAL_SCANS(MatrixScanBackward);

} // namespace unroll::kernels
