// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/common/outer_products.h"

#include "core/kernels/common/flush_denormals.h"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/common/outer_products_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/packed_product_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t blockRows = 256; // of 512 columns in fp32 they fill half of a second-level cache

/// Rows [first, first + rows) of the right array, as a PackedMatrix holds them.
template <typename T>
PackedMatrix<T> packedRight(const OuterProducts<T>& p, std::int64_t first, std::int64_t rows, std::vector<T>& panels)
{
    panels.assign(static_cast<std::size_t>(rows * wholePanels(p.rightColumns)), T{0});
    for (std::int64_t column = 0; column < p.rightColumns; column += panelColumns)
        for (std::int64_t k = 0; k < rows; ++k) {
            const T* from = p.right + (first + k) * p.rightStride + column;
            std::copy_n(from, std::min(panelColumns, p.rightColumns - column),
                        panels.data() + column * rows + k * panelColumns);
        }
    return {panels.data(), rows, p.rightColumns};
}

/// Some columns of the left array, each row's side by side: a tile reads them from front to back.
template <typename T>
void packLeft(const T* from, std::int64_t stride, std::int64_t rows, std::int64_t columns, T* to)
{
    for (std::int64_t k = 0; k < rows; ++k)
        for (std::int64_t i = 0; i < columns; ++i)
            to[k * columns + i] = from[k * stride + i];
}

template <typename T>
void addBlock(const OuterProducts<T>& p, ColumnRange columns, std::int64_t first, const PackedMatrix<T>& right)
{
    const std::int64_t stride = wholePanels(p.rightColumns);
    T left[blockRows * tileRows];
    forTiles(columns.end - columns.begin, [&](std::int64_t begin, std::int64_t rows) HWY_ATTR {
        const std::int64_t i = columns.begin + begin;
        packLeft(p.left + first * p.leftStride + i, p.leftStride, right.rows, rows, left);
        T* sum = p.sum + i * stride;
        if (p.begins && first == 0)
            std::fill_n(sum, rows * stride, T{0});
        for (std::int64_t j = 0; j < p.rightColumns; j += tileColumns<T>) {
            const std::int64_t inPanel = j % panelColumns;
            addTile(rows, TileFactors<T>{left, 1, rows}, right.rows, right.panel(j - inPanel) + inPanel, sum + j,
                    stride);
        }
    });
}

template <typename T>
void addAll(const OuterProducts<T>& p, ColumnRange columns)
{
    std::vector<T> panels;
    for (std::int64_t first = 0; first < p.count; first += blockRows)
        addBlock(p, columns, first, packedRight(p, first, std::min(blockRows, p.count - first), panels));
}

void addFloats(const OuterProducts<float>& products, ColumnRange columns)
{
    addAll(products, columns);
}

void addDoubles(const OuterProducts<double>& products, ColumnRange columns)
{
    addAll(products, columns);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(addFloats);
HWY_EXPORT(addDoubles);

void addOuterProducts(const OuterProducts<float>& products, ColumnRange leftColumns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(addFloats)(products, leftColumns);
}

void addOuterProducts(const OuterProducts<double>& products, ColumnRange leftColumns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(addDoubles)(products, leftColumns);
}

} // namespace unroll::kernels
#endif
