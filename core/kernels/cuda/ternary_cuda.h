// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/ternary/ternary_params.h"

#include <cuda_runtime_api.h>

namespace unroll::kernels {

// Each starts its part of the ternary layer on `stream` of the current device; every pointer is device memory, that of
// packed weights at a multiple of four. cudaErrorInvalidValue, and nothing is started, where an array is absent, a size
// is negative or a grid would be too large; otherwise what the launch says. No rows are success. The integers and their
// sums are those of the CPU; sums of floats are taken in an order that depends on sizes alone, so the same bits come
// out every time.

cudaError_t quantiseRowsOnCuda(const RowQuantisation& p, std::int64_t rows, cudaStream_t stream);
cudaError_t normBackwardOnCuda(const NormGradient& p, std::int64_t rows, cudaStream_t stream);
cudaError_t findScalesOnCuda(const WeightScales& p, cudaStream_t stream);
cudaError_t packWeightOnCuda(const WeightPacking& p, cudaStream_t stream);
cudaError_t unpackWeightOnCuda(const WeightUnpacking& p, cudaStream_t stream);
cudaError_t multiplyOnCuda(const TernaryProduct& p, std::int64_t rows, cudaStream_t stream);

} // namespace unroll::kernels
