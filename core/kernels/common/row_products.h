// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/common/rows.h"

#include <cstdint>

namespace unroll::kernels {

/// Many rows, each multiplied by one matrix: out = rows matrix + bias.
struct RowProducts {
    const float* rows = nullptr; ///< (count, depth), rowStride apart
    std::int64_t rowStride = 0;
    std::int64_t depth = 0;
    const float* matrix =
        nullptr; ///< (depth, columns), or (columns, depth) where it is transposed; rows of it matrixStride apart
    std::int64_t matrixStride = 0;
    bool transposed = false;
    std::int64_t columns = 0;
    const float* bias = nullptr; ///< (columns), or absent
    float* out = nullptr;        ///< (count, columns)
};

/// Those rows [begin, end), on the calling thread. Each sum runs along the depth, whatever the range: the same bits. A transposed matrix is packed
/// here, by every thread for itself: reading what another core has just written takes longer (two cores of a Zen 4, 768 rows, 256 to 768:
/// packed together 2 % slower, 5 to 8 % on a busy host).
void multiplyRows(const RowProducts& products, ColumnRange rows);

} // namespace unroll::kernels
