// SPDX-License-Identifier: GPL-3.0-or-later
// A matrix turned over and packed for the products of packed_product_inl.h. Included once for each CPU target.

#if defined(UNROLL_TRANSPOSED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_TRANSPOSED_INL_H
#undef UNROLL_TRANSPOSED_INL_H
#else
#define UNROLL_TRANSPOSED_INL_H
#endif

#include "core/kernels/cpu/lanes_inl.h"
#include "core/kernels/cpu/packed_matrix.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr std::int64_t kTransposedTogether = 4; ///< rows and columns that change places at a time

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
    for (std::int64_t i = 0; i < kTransposedTogether; ++i)
        for (std::int64_t j = 0; j < kTransposedTogether; ++j)
            to[j * toStride + i] = from[i * fromStride + j];
}

/// A block of a matrix before it is turned over. Rows of a matrix often lie a power of two apart and would drive each
/// other out of the first-level cache; here they do not.
template <typename T>
struct TransposedBlock {
    static constexpr std::int64_t rows = 16, columns = 64, stride = columns + 16;

    /// `next`, whose rows are `fromStride` apart too, is asked for: rows far apart are nothing that a processor sees
    /// coming.
    HWY_INLINE void read(const T* from, std::int64_t fromStride, std::int64_t rowsThere, std::int64_t columnsThere,
                         const T* next)
    {
        if (rowsThere >= rows && columnsThere == columns)
            return readWhole(from, fromStride, next);
        for (std::int64_t i = 0; i < rows; ++i) {
            T* row = data + i * stride;
            const std::int64_t there = i < rowsThere ? columnsThere : 0;
            copyRow(from + (there > 0 ? i * fromStride : 0), row, there);
            zeroRow(row + there, columns - there);
        }
    }

    HWY_ALIGN T data[rows * stride];

private:
    HWY_INLINE void readWhole(const T* from, std::int64_t fromStride, const T* next)
    {
        const hn::CappedTag<T, 16> d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; j += lanes) {
                hwy::Prefetch(next + i * fromStride + j);
                hn::Store(hn::LoadU(d, from + i * fromStride + j), d, data + i * stride + j);
            }
    }
};

/// Up to kPanelColumns rows of a matrix with `columns` columns, `stride` apart, as a panel of its transposed: zeros
/// fill it up. The block after each is asked for meanwhile.
template <typename T>
void packTransposedPanel(const T* matrix, std::int64_t stride, std::int64_t rows, std::int64_t columns, T* panel)
{
    using Block = TransposedBlock<T>;
    constexpr std::int64_t lastRow = kPanelColumns - Block::rows;
    const std::int64_t below = Block::rows * stride;
    Block block;
    for (std::int64_t column = 0; column < columns; column += Block::columns)
        for (std::int64_t row = 0; row < kPanelColumns; row += Block::rows) {
            const std::int64_t there = columns - column < Block::columns ? columns - column : Block::columns;
            const T* here = matrix + row * stride + column;
            block.read(here, stride, rows - row, there,
                       row == lastRow ? matrix + column + Block::columns : here + below);
            T* to = panel + column * kPanelColumns + row;
            const std::int64_t fours = there - there % kTransposedTogether;
            for (std::int64_t j = 0; j < fours; j += kTransposedTogether)
                for (std::int64_t i = 0; i < Block::rows; i += kTransposedTogether)
                    transposeFour(block.data + i * Block::stride + j, Block::stride, to + j * kPanelColumns + i,
                                  kPanelColumns);
            for (std::int64_t j = fours; j < there; ++j)
                for (std::int64_t i = 0; i < Block::rows; ++i)
                    to[j * kPanelColumns + i] = block.data[i * Block::stride + j];
        }
}

/// The transposed of a matrix (rows, columns) with rows `stride` apart, as a PackedMatrix of `columns` rows.
template <typename T>
void packTransposedMatrix(const T* matrix, std::int64_t stride, std::int64_t rows, std::int64_t columns, T* panels)
{
    for (std::int64_t first = 0; first < rows; first += kPanelColumns)
        packTransposedPanel(matrix + first * stride, stride,
                            rows - first < kPanelColumns ? rows - first : kPanelColumns, columns,
                            panels + first * columns);
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_TRANSPOSED_INL_H
