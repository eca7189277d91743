// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cuda/batch_sum_cuda.h"

#include "core/kernels/cuda/column_launch.h"

#include <cuda_runtime.h>

namespace unroll::kernels {
namespace {

template <class Sums>
__global__ void __launch_bounds__(128) sumRows(const Sums sums, const std::int64_t threads)
{
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < threads)
        sums(i);
}

template <typename T>
cudaError_t launchSum(const T* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, T* out,
                      double* shares, cudaStream_t stream)
{
    if (batch < 0 || count < 0)
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    if (out == nullptr || (batch > 0 && partial == nullptr) || (sharesOfBatch(batch) > 1 && shares == nullptr))
        return cudaErrorInvalidValue;
    return sumInShares(partial, batch, stride, count, out, shares, [&](const auto& sums, std::int64_t threads) {
        const ColumnGrid grid = columnGrid(threads);
        if (!grid)
            return cudaErrorInvalidValue;
        sumRows<<<grid.blocks, grid.threads, 0, stream>>>(sums, threads);
        return cudaGetLastError();
    });
}

} // namespace

cudaError_t sumOverBatchCuda(const float* partial, std::int64_t batch, std::int64_t stride, std::int64_t count,
                             float* out, double* shares, cudaStream_t stream)
{
    return launchSum(partial, batch, stride, count, out, shares, stream);
}

cudaError_t sumOverBatchCuda(const double* partial, std::int64_t batch, std::int64_t stride, std::int64_t count,
                             double* out, double* shares, cudaStream_t stream)
{
    return launchSum(partial, batch, stride, count, out, shares, stream);
}

} // namespace unroll::kernels
