// SPDX-License-Identifier: GPL-3.0-or-later
// A matrix as the products of packed_product_inl.h read it. No torch, no ownership.
#pragma once

#include <cstdint>

namespace unroll::kernels {

/// Columns of a panel: four vectors of the longest kind.
inline constexpr std::int64_t kPanelColumns = 64;

/// `columns` filled up to whole panels.
constexpr std::int64_t wholePanels(std::int64_t columns)
{
    return (columns + kPanelColumns - 1) / kPanelColumns * kPanelColumns;
}

/// A matrix of `rows` x `columns`, cut into panels of kPanelColumns columns that lie one behind the other, each row by
/// row; zeros fill up the last. A product reads it from front to back.
template <typename T>
struct PackedMatrix {
    const T* panels = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;

    const T* panel(std::int64_t firstColumn) const { return panels + firstColumn * rows; }
};

} // namespace unroll::kernels
