// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/common/flush_denormals.h"
#include "core/kernels/common/row_products.h"
#include "core/kernels/common/rows_ahead.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/common/row_products_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/packed_product_inl.h"
#include "core/kernels/common/transposed_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t blockRows = 96;   // of blockDepth numbers they fill a fifth of a second-level cache
constexpr std::int64_t blockDepth = 512; // a panel of it a tenth
constexpr std::int64_t packedNumbers =
    2 * blockDepth * panelColumns; // what is packed before it is multiplied: a quarter

/// What a block of rows has of a block of the depth.
struct Block {
    std::int64_t row, rows, first, depth;
};

HWY_INLINE TileFactors<float> factorsOf(const RowProducts& p, const Block& block, std::int64_t first)
{
    return {p.rows + (block.row + first) * p.rowStride + block.first, p.rowStride, 1};
}

/// The last tile where columns do not fill it: made beside, and copied as far as there are columns.
HWY_INLINE void multiplyNarrowTile(const RowProducts& p, const Block& block, std::int64_t first, std::int64_t rows,
                                   TileRows<float> right, std::int64_t column)
{
    HWY_ALIGN float tile[tileRows * tileColumns<float>] = {};
    const std::int64_t width = p.columns - column;
    float* out = p.out + (block.row + first) * p.columns + column;
    for (std::int64_t r = 0; r < rows; ++r) {
        const float* start = block.first > 0 ? out + r * p.columns : p.bias != nullptr ? p.bias + column : nullptr;
        if (start != nullptr)
            std::copy_n(start, width, tile + r * tileColumns<float>);
    }
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(TileLanes<float>()));
    makeNarrowTile(rows, (width + lanes - 1) / lanes, factorsOf(p, block, first), block.depth, right,
                   TileRows<float>{tile, tileColumns<float>}, tile, tileColumns<float>);
    for (std::int64_t r = 0; r < rows; ++r)
        std::copy_n(tile + r * tileColumns<float>, width, out + r * p.columns);
}

/// The same block of the rows after this one, up to `end`, while `columns` columns are multiplied.
RowsAhead<float> rowsAfter(const RowProducts& p, const Block& block, std::int64_t end, std::int64_t columns)
{
    const std::int64_t tiles = tilesOf(block.rows) * tilesAcross<float>(columns);
    const std::int64_t next = block.row + block.rows;
    return {p.rows + block.first,
            p.rowStride,
            block.depth,
            next,
            std::min(next + blockRows, end),
            tiles * timesBeside(block.depth)};
}

/// Columns [column, column + tileColumns) of a block of rows.
HWY_INLINE void multiplyColumns(const RowProducts& p, const Block& block, TileRows<float> right, std::int64_t column,
                                RowsAhead<float>& next)
{
    forTiles(block.rows, [&](std::int64_t first, std::int64_t rows) HWY_ATTR {
        if (p.columns - column < tileColumns<float>)
            return multiplyNarrowTile(p, block, first, rows, right, column);
        float* out = p.out + (block.row + first) * p.columns + column;
        const TileRows<float> begun{out, p.columns};
        const TileRows<float> start = p.bias != nullptr ? TileRows<float>{p.bias + column, 0} : TileRows<float>{};
        makeTile(rows, factorsOf(p, block, first), block.depth, right, block.first > 0 ? begun : start, out, p.columns,
                 [&] { next.ask(); });
    });
}

/// `columns` of all rows, block after block of them: `right` stays in the caches. right.at(column) are the tiles of a block of the depth.
template <class Right>
HWY_INLINE void multiplyBlocks(const RowProducts& p, ColumnRange rows, ColumnRange depth, ColumnRange columns,
                               const Right& right)
{
    for (std::int64_t row = rows.begin; row < rows.end; row += blockRows) {
        const Block block{row, std::min(blockRows, rows.end - row), depth.begin, depth.end - depth.begin};
        RowsAhead<float> next = rowsAfter(p, block, rows.end, columns.end - columns.begin);
        for (std::int64_t column = columns.begin; column < columns.end; column += tileColumns<float>)
            multiplyColumns(p, block, right.at(column), column, next);
    }
}

/// As it lies.
void multiplyMatrix(const RowProducts& p, ColumnRange rows, ColumnRange depth)
{
    const TilesInPlace<float, blockDepth> tiles({p.matrix + depth.begin * p.matrixStride, p.matrixStride},
                                                depth.end - depth.begin, p.columns);
    multiplyBlocks(p, rows, depth, {0, p.columns}, tiles);
}

/// Some panels of the transposed, packed and multiplied before the next.
void multiplyTransposed(const RowProducts& p, ColumnRange rows, ColumnRange depth)
{
    HWY_ALIGN float packed[packedNumbers];
    const std::int64_t deep = depth.end - depth.begin, wide = packedNumbers / (deep * panelColumns) * panelColumns;
    for (std::int64_t column = 0; column < p.columns; column += wide) {
        const std::int64_t end = std::min(column + wide, p.columns);
        packTransposedMatrix(p.matrix + column * p.matrixStride + depth.begin, p.matrixStride, end - column, deep,
                             packed);
        multiplyBlocks(p, rows, depth, {column, end}, PackedTiles<float>({packed, deep, end - column}, column));
    }
}

/// Some rows along the whole depth before the next: their sums stay in the caches.
void multiply(const RowProducts& p, ColumnRange rows)
{
    constexpr std::int64_t together = 5 * blockRows;
    const std::int64_t most =
        p.transposed ? rows.end - rows.begin : together; // packing anew for a few rows takes longer
    for (std::int64_t row = rows.begin; row < rows.end; row += most)
        for (std::int64_t first = 0; first < p.depth; first += blockDepth) {
            const ColumnRange some{row, std::min(row + most, rows.end)},
                depth{first, std::min(first + blockDepth, p.depth)};
            p.transposed ? multiplyTransposed(p, some, depth) : multiplyMatrix(p, some, depth);
        }
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(multiply);

void multiplyRows(const RowProducts& products, ColumnRange rows)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(multiply)(products, rows);
}

} // namespace unroll::kernels
#endif
