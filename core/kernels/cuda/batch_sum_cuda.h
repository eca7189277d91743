// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/cuda/batch_sum_thread.h"

#include <cuda_runtime_api.h>

namespace unroll::kernels {

/// sumOverBatch (batch_sum.h) on the current device: in double, share by share (batch_sum_thread.h) in a fixed order,
/// no atomics, so the same bits every time. Pointers are device memory; `shares` has room for sharesOfBatch(batch) *
/// count sums, and may be absent where that is one share. cudaErrorInvalidValue where a size is negative or an array is
/// absent; count = 0 is success.
cudaError_t sumOverBatchCuda(const float* partial, std::int64_t batch, std::int64_t stride, std::int64_t count,
                             float* out, double* shares, cudaStream_t stream);
cudaError_t sumOverBatchCuda(const double* partial, std::int64_t batch, std::int64_t stride, std::int64_t count,
                             double* out, double* shares, cudaStream_t stream);

} // namespace unroll::kernels
