// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace unroll::kernels {

/// sumOverBatch (batch_sum.h) on the current device: the same order, no atomics, so the same bits every time. Pointers are device memory.
/// cudaErrorInvalidValue where a size is negative or an array is absent; count = 0 is success.
cudaError_t sumOverBatchCuda(const float* partial, std::int64_t batch, std::int64_t stride, std::int64_t count,
                             float* out, cudaStream_t stream);
cudaError_t sumOverBatchCuda(const double* partial, std::int64_t batch, std::int64_t stride, std::int64_t count,
                             double* out, cudaStream_t stream);

} // namespace unroll::kernels
