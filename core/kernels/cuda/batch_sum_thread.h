// SPDX-License-Identifier: GPL-3.0-or-later
// What a GPU's threads do for a sum over a batch; batch_sum.cu launches them, a test runs the same on the CPU. Many
// rows are summed share by share, then the shares, each in its order: a thread has some hundred numbers to add, and the
// same bits come out every time.
#pragma once

#include "core/kernels/scan/rows.h"

namespace unroll::kernels {

/// Rows of a share: all of them where they are few, else about the root of their number, from it alone.
inline std::int64_t rowsOfShare(std::int64_t batch)
{
    if (batch <= 64)
        return batch > 0 ? batch : 1;
    std::int64_t rows = 16;
    while (rows * rows < batch)
        rows *= 2;
    return rows;
}

/// Shares of a batch; with more than one their sums need memory.
inline std::int64_t sharesOfBatch(std::int64_t batch)
{
    const std::int64_t rows = rowsOfShare(batch);
    return batch > 0 ? (batch + rows - 1) / rows : 1;
}

/// Sums (shares, count) of partial (batch, count), whose rows are `stride` apart.
template <typename From, typename To>
struct RowSums {
    const From* partial = nullptr;
    std::int64_t batch = 0, stride = 0, count = 0;
    std::int64_t rows = 1; ///< of a share
    To* sums = nullptr;

    /// Sum `index` of shares * count.
    UNROLL_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const std::int64_t begin = index / count * rows, column = index % count;
        const std::int64_t end = begin + rows < batch ? begin + rows : batch;
        double sum = 0;
        for (std::int64_t b = begin; b < end; ++b)
            sum += static_cast<double>(partial[b * stride + column]);
        sums[index] = static_cast<To>(sum);
    }
};

/// Calls sum(rowSums, how many) once or, with shares (sharesOfBatch(batch), count), twice.
template <typename T, class Sum>
auto sumInShares(const T* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, T* out, double* shares,
                 const Sum& sum)
{
    const std::int64_t parts = sharesOfBatch(batch);
    if (parts == 1)
        return sum(RowSums<T, T>{partial, batch, stride, count, rowsOfShare(batch), out}, count);
    const auto status =
        sum(RowSums<T, double>{partial, batch, stride, count, rowsOfShare(batch), shares}, parts * count);
    if (status != decltype(status){})
        return status;
    return sum(RowSums<double, T>{shares, parts, count, count, parts, out}, count);
}

} // namespace unroll::kernels
