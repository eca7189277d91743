// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/batch_sum.h"

#include "core/kernels/cpu/parallel_columns.h"

#include <algorithm>
#include <array>

namespace unroll::kernels {
namespace {

constexpr std::int64_t kBlockSize = 64;

template <typename T>
void sumBlock(const T* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, T* out)
{
    std::array<double, kBlockSize> sum{};
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t i = 0; i < count; ++i)
            sum[static_cast<std::size_t>(i)] += partial[b * stride + i];
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = static_cast<T>(sum[static_cast<std::size_t>(i)]);
}

template <typename T>
void sumAll(const T* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, T* out)
{
    parallelColumns(1, count, batch, [&](ColumnRange columns) {
        for (std::int64_t i = columns.begin; i < columns.end; i += kBlockSize)
            sumBlock(partial + i, batch, stride, std::min(kBlockSize, columns.end - i), out + i);
    });
}

} // namespace

void sumOverBatch(const float* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, float* out)
{
    sumAll(partial, batch, stride, count, out);
}

void sumOverBatch(const double* partial, std::int64_t batch, std::int64_t stride, std::int64_t count, double* out)
{
    sumAll(partial, batch, stride, count, out);
}

} // namespace unroll::kernels
