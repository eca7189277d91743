// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/common/outer_products.h"

#include "core/kernels/common/flush_denormals.h"
#include "core/kernels/common/rows_ahead.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/common/outer_products_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/packed_product_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t blockRows = 192;   ///< of both arrays: what is multiplied to the end before the next are touched
constexpr std::int64_t blockColumns = 48; ///< of the left one: with the rows above they stay in the first-level cache

/// Adds the products of rows [first, first + count), and asks for those after them.
template <typename T>
void addBlock(const OuterProducts<T>& p, ColumnRange columns, std::int64_t first, std::int64_t count)
{
    const TilesInPlace<T, blockRows> right({p.right + first * p.rightStride, p.rightStride}, count, p.rightColumns);
    const std::int64_t next = first + count, end = std::min(next + blockRows, p.count);
    const std::int64_t width = wholePanels(p.rightColumns), wide = columns.end - columns.begin;
    const std::int64_t turns = tilesOf(wide) * tilesAcross<T>(p.rightColumns) * timesBeside(count);
    RowsAhead<T> leftAhead(p.left + columns.begin, p.leftStride, wide, next, end, turns);
    RowsAhead<T> rightAhead(p.right, p.rightStride, p.rightColumns, next, end, turns);
    const auto ask = [&] {
        leftAhead.ask();
        rightAhead.ask();
    };
    for (std::int64_t block = columns.begin; block < columns.end; block += blockColumns)
        for (std::int64_t j = 0; j < p.rightColumns; j += tileColumns<T>)
            forTiles(std::min(blockColumns, columns.end - block), [&](std::int64_t begin, std::int64_t rows) HWY_ATTR {
                const std::int64_t i = block + begin;
                T* sum = p.sum + i * width + j;
                const TileRows<T> start = p.begins && first == 0 ? TileRows<T>{} : TileRows<T>{sum, width};
                makeTile(rows, TileFactors<T>{p.left + first * p.leftStride + i, 1, p.leftStride}, count, right.at(j),
                         start, sum, width, ask);
            });
}

template <typename T>
void addAll(const OuterProducts<T>& p, ColumnRange columns)
{
    for (std::int64_t first = 0; first < p.count; first += blockRows)
        addBlock(p, columns, first, std::min(blockRows, p.count - first));
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
