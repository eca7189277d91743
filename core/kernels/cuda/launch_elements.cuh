// SPDX-License-Identifier: GPL-3.0-or-later
// Included by .cu files only, which instantiate launchElements.
#pragma once

#include "core/kernels/cuda/column_launch.h"
#include "core/kernels/cuda/launch_elements.h"

#include <cuda_runtime.h>

namespace unroll::kernels {

template <class Elements>
__global__ void __launch_bounds__(128) everyElement(const Elements elements)
{
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (index < elements.batch * elements.width)
        elements(index / elements.width, index % elements.width);
}

template <class Elements>
cudaError_t launchElements(const Elements& elements, cudaStream_t stream)
{
    if (!complete(elements))
        return cudaErrorInvalidValue;
    const std::int64_t count = elements.batch * elements.width;
    if (count == 0)
        return cudaSuccess;
    const ColumnGrid grid = columnGrid(count);
    if (!grid)
        return cudaErrorInvalidValue;
    everyElement<<<grid.blocks, grid.threads, 0, stream>>>(elements);
    return cudaGetLastError();
}

} // namespace unroll::kernels
