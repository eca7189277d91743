// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/common/packed_matrix.h"
#include "core/kernels/common/rows.h"

#include <cstdint>

namespace unroll::kernels {

/// Many rows, each multiplied by one matrix: out = rows matrix + bias.
struct RowProducts {
    const float* rows = nullptr; ///< (count, depth), rowStride apart
    std::int64_t rowStride = 0;
    std::int64_t depth = 0;
    const float* matrix = nullptr; ///< (depth, columns), rows of it matrixStride apart; or absent and packed
    std::int64_t matrixStride = 0;
    PackedMatrix<float> packed; ///< depth rows of `columns`
    std::int64_t columns = 0;
    const float* bias = nullptr; ///< (columns), or absent
    float* out = nullptr;        ///< (count, columns)
};

/// Those rows [begin, end), on the calling thread. Each sum runs along the depth, whatever the range: the same bits.
void multiplyRows(const RowProducts& products, ColumnRange rows);

/// The transposed of a matrix (rows, columns), rows `stride` apart.
struct TransposedMatrix {
    const float* matrix = nullptr;
    std::int64_t stride = 0, rows = 0, columns = 0;
};

/// Panels [begin, end) of it as a PackedMatrix of `columns` rows holds them.
void packTransposed(const TransposedMatrix& from, ColumnRange panels, float* to);

} // namespace unroll::kernels
