// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/batch_sum_cuda.h"

#include "core/kernels/common/column_launch.h"

#include <cuda_runtime.h>

namespace unroll::kernels {
namespace {

template <typename T>
__global__ void __launch_bounds__(128)
    sumBatch(const T* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, T* out)
{
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    double sum = 0;
    for (std::int64_t b = 0; b < batch; ++b)
        sum += partial[b * stride + i];
    out[i] = static_cast<T>(sum);
}

template <typename T>
cudaError_t launchSum(const T* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, T* out,
                      cudaStream_t stream)
{
    if (batch < 0 || count < 0)
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    const ColumnGrid grid = columnGrid(count);
    if (!grid || out == nullptr || (batch > 0 && partial == nullptr))
        return cudaErrorInvalidValue;
    sumBatch<<<grid.blocks, grid.threads, 0, stream>>>(partial, batch, stride, count, out);
    return cudaGetLastError();
}

} // namespace

cudaError_t sumOverBatchCuda(const float* partial, std::int64_t batch, std::int64_t stride, std::int64_t count,
                             float* out, cudaStream_t stream)
{
    return launchSum(partial, batch, stride, count, out, stream);
}

cudaError_t sumOverBatchCuda(const double* partial, std::int64_t batch, std::int64_t stride, std::int64_t count,
                             double* out, cudaStream_t stream)
{
    return launchSum(partial, batch, stride, count, out, stream);
}

} // namespace unroll::kernels
