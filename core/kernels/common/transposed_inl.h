// SPDX-License-Identifier: GPL-3.0-or-later
// A matrix turned over and packed for the products of packed_product_inl.h. Included once for each CPU target.

#if defined(UNROLL_TRANSPOSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_TRANSPOSED_INL_H
#undef UNROLL_TRANSPOSED_INL_H
#else
#define UNROLL_TRANSPOSED_INL_H
#endif

#include "core/kernels/common/packed_matrix.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::int64_t transposedTogether = 4; ///< rows and columns that change places at a time

/// to[j][i] = from[i][j] for i, j < 4; rows `fromStride` and `toStride` apart.
template <typename T>
HWY_INLINE void transposeFour(const T* from, std::int64_t fromStride, T* to, std::int64_t toStride)
{
#if HWY_TARGET != HWY_SCALAR
    if constexpr (sizeof(T) == sizeof(float)) {
        const hn::Full128<T> d;
        const auto row0 = hn::LoadU(d, from), row1 = hn::LoadU(d, from + fromStride);
        const auto row2 = hn::LoadU(d, from + 2 * fromStride), row3 = hn::LoadU(d, from + 3 * fromStride);
        const auto even0 = hn::InterleaveLower(d, row0, row2), even1 = hn::InterleaveUpper(d, row0, row2);
        const auto odd0 = hn::InterleaveLower(d, row1, row3), odd1 = hn::InterleaveUpper(d, row1, row3);
        hn::StoreU(hn::InterleaveLower(d, even0, odd0), d, to);
        hn::StoreU(hn::InterleaveUpper(d, even0, odd0), d, to + toStride);
        hn::StoreU(hn::InterleaveLower(d, even1, odd1), d, to + 2 * toStride);
        hn::StoreU(hn::InterleaveUpper(d, even1, odd1), d, to + 3 * toStride);
        return;
    }
#endif
    for (std::int64_t i = 0; i < transposedTogether; ++i)
        for (std::int64_t j = 0; j < transposedTogether; ++j)
            to[j * toStride + i] = from[i * fromStride + j];
}

/// Up to panelColumns rows of a matrix with `columns` columns, `stride` apart, as a panel of its transposed: zeros fill it up. Sixteen rows at a
/// time, so that lines of the panel are written whole.
template <typename T>
void packTransposedPanel(const T* matrix, std::int64_t stride, std::int64_t rows, std::int64_t columns, T* panel)
{
    constexpr std::int64_t line = 16;
    const std::int64_t fours = columns - columns % transposedTogether, whole = rows - rows % transposedTogether;
    for (std::int64_t block = 0; block < whole; block += line)
        for (std::int64_t j = 0; j < fours; j += transposedTogether)
            for (std::int64_t i = block; i < whole && i < block + line; i += transposedTogether)
                transposeFour(matrix + i * stride + j, stride, panel + j * panelColumns + i, panelColumns);
    for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = j < fours ? whole : 0; i < panelColumns; ++i)
            panel[j * panelColumns + i] = i < rows ? matrix[i * stride + j] : T{0};
}

/// The transposed of a matrix (rows, columns) with rows `stride` apart, as a PackedMatrix of `columns` rows.
template <typename T>
void packTransposedMatrix(const T* matrix, std::int64_t stride, std::int64_t rows, std::int64_t columns, T* panels)
{
    for (std::int64_t first = 0; first < rows; first += panelColumns)
        packTransposedPanel(matrix + first * stride, stride, rows - first < panelColumns ? rows - first : panelColumns,
                            columns, panels + first * columns);
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_TRANSPOSED_INL_H
