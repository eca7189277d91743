// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/common/rows.h"

#include <cstdint>

namespace unroll::kernels {

/// Rows of two arrays, the products of which are summed: what the gradient of a weight is that was multiplied to many rows.
template <typename T>
struct OuterProducts {
    const T* left = nullptr; ///< (count, leftColumns), rows leftStride apart
    std::int64_t leftStride = 0;
    std::int64_t leftColumns = 0;
    const T* right = nullptr; ///< (count, rightColumns), rows rightStride apart
    std::int64_t rightStride = 0;
    std::int64_t rightColumns = 0;
    std::int64_t count = 0;
    T* sum = nullptr;   ///< (leftColumns, wholePanels(rightColumns))
    bool begins = true; ///< the sum is what is found here alone; else it is added to
};

/// sum[i][j] = or += sum over k of left[k][i] right[k][j], for the columns i of `left` in a range, on the calling thread. Sums run along k in blocks
/// of fixed length: the same bits whatever the range.
void addOuterProducts(const OuterProducts<float>& products, ColumnRange leftColumns);
void addOuterProducts(const OuterProducts<double>& products, ColumnRange leftColumns);

} // namespace unroll::kernels
