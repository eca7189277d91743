// SPDX-License-Identifier: GPL-3.0-or-later
// Plain views that cross from the torch side of a kernel to its CPU and CUDA halves. No torch, no ownership; sizes and
// strides in elements.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define UNROLL_HOST_DEVICE __host__ __device__
#else
#define UNROLL_HOST_DEVICE
#endif

/// Before a loop of a known number of turns whose arrays must stay in a GPU's registers.
#ifdef __CUDA_ARCH__
#define UNROLL_ALL_TURNS _Pragma("unroll")
#else
#define UNROLL_ALL_TURNS
#endif

namespace unroll::kernels {

/// A (steps, batch, width) array with contiguous rows. A (batch, width) array has stepStride 0. data == nullptr:
/// absent.
template <typename T>
struct Rows {
    T* data = nullptr;
    std::int64_t stepStride = 0;
    std::int64_t batchStride = 0;

    UNROLL_HOST_DEVICE explicit operator bool() const { return data != nullptr; }
    UNROLL_HOST_DEVICE T* row(std::int64_t step, std::int64_t batch) const
    {
        return data + step * stepStride + batch * batchStride;
    }
};

/// Element `unit` of a row that may be absent (nullptr).
template <typename T>
UNROLL_HOST_DEVICE T* rowOrNull(const Rows<T>& rows, std::int64_t step, std::int64_t batch, std::int64_t unit)
{
    return rows ? rows.row(step, batch) + unit : nullptr;
}

/// A (steps, batch) mask of bytes, nonzero = a real step. data == nullptr: every step is real.
struct StepMask {
    const std::uint8_t* data = nullptr;
    std::int64_t stepStride = 0;
    std::int64_t batchStride = 0;

    UNROLL_HOST_DEVICE bool real(std::int64_t step, std::int64_t batch) const
    {
        return data == nullptr || data[step * stepStride + batch * batchStride] != 0;
    }
};

/// Columns [begin, end) of the batch x width plane, counted row after row: column = batch * width + unit. Recurrences
/// run along the steps of a column and columns know nothing of each other, so any split of them gives the same numbers.
struct ColumnRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

} // namespace unroll::kernels
