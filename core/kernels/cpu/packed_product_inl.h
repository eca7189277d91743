// SPDX-License-Identifier: GPL-3.0-or-later
// Products of a few rows with a packed matrix that stays in cache from step to step. Included once for each CPU target.

#if defined(UNROLL_PACKED_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_PACKED_PRODUCT_INL_H
#undef UNROLL_PACKED_PRODUCT_INL_H
#else
#define UNROLL_PACKED_PRODUCT_INL_H
#endif

#include "core/kernels/cpu/packed_matrix.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A tile of sums in registers: up to kTileRows rows of kTileVectors vectors. With 32 registers 24 sums, with 16
/// twelve, and a few to spare for the factors: enough sums in progress to hide the latency of a multiply-add.
inline constexpr std::int64_t kTileRows = 6;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_ARCH_ARM_A64
inline constexpr int kTileVectors = 4;
#else
inline constexpr int kTileVectors = 2;
#endif

template <typename T>
using TileLanes = hn::CappedTag<T, static_cast<std::size_t>(kPanelColumns) / 4>;

template <typename T>
constexpr std::int64_t kTileColumns = kTileVectors* static_cast<std::int64_t>(hn::MaxLanes(TileLanes<T>()));

/// The left factor of a tile: element k of row r is at r * rowStep + k * depthStep.
template <typename T>
struct TileFactors {
    const T* data;
    std::int64_t rowStep, depthStep;
};

/// The right factor of a tile: kTileColumns columns of rows that are `stride` apart.
template <typename T>
struct TileRows {
    const T* data = nullptr;
    std::int64_t stride = 0;
};

/// Calls body(r, v) for each vector of a tile's sums.
template <int rows, int vectorsWide, class Body>
HWY_INLINE void eachSum(const Body& body)
{
    HWY_UNROLL(6)
    for (int r = 0; r < rows; ++r)
        HWY_UNROLL(4)
    for (int v = 0; v < vectorsWide; ++v)
        body(r, v);
}

/// out (rows, kTileColumns) = start + left (rows, depth) right (depth, kTileColumns); `start` may be `out`, have stride
/// 0: one row for all, or be absent: zeros. Each sum runs along k = 0, 1, ... from zero whatever the rows beside it, so
/// that numbers do not depend on how rows are put together, and is added to `start` at the end: a product made block
/// after block rounds as often as a block is deep, not as the whole is.
template <int rows, int vectorsWide = kTileVectors, typename T>
HWY_INLINE void makeTile(TileFactors<T> left, std::int64_t depth, TileRows<T> right, TileRows<T> start, T* out,
                         std::int64_t outStride)
{
    const TileLanes<T> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(TileLanes<T>()));
    hn::Vec<TileLanes<T>> sum[rows][vectorsWide]; // in registers, so every loop over it is unrolled
    eachSum<rows, vectorsWide>([&](int r, int v) HWY_ATTR { sum[r][v] = hn::Zero(d); });
    const auto startAt = [&](int r, int v) HWY_ATTR { return start.data + r * start.stride + v * lanes; };
    eachSum<rows, vectorsWide>([&](int r, int v) HWY_ATTR { hwy::Prefetch(out + r * outStride + v * lanes); });
    if (start.data != nullptr)
        eachSum<rows, vectorsWide>([&](int r, int v) HWY_ATTR { hwy::Prefetch(startAt(r, v)); });
    for (std::int64_t k = 0; k < depth; ++k) {
        hn::Vec<TileLanes<T>> vectors[vectorsWide];
        HWY_UNROLL(4)
        for (int v = 0; v < vectorsWide; ++v)
            vectors[v] = hn::LoadU(d, right.data + k * right.stride + v * lanes);
        HWY_UNROLL(6)
        for (int r = 0; r < rows; ++r) {
            const auto factor = hn::Set(d, left.data[r * left.rowStep + k * left.depthStep]);
            HWY_UNROLL(4)
            for (int v = 0; v < vectorsWide; ++v)
                sum[r][v] = hn::MulAdd(factor, vectors[v], sum[r][v]);
        }
    }
    if (start.data != nullptr)
        eachSum<rows, vectorsWide>([&](int r, int v)
                                       HWY_ATTR { sum[r][v] = hn::Add(hn::LoadU(d, startAt(r, v)), sum[r][v]); });
    eachSum<rows, vectorsWide>([&](int r, int v)
                                   HWY_ATTR { hn::StoreU(sum[r][v], d, out + r * outStride + v * lanes); });
}

/// The same for a number of rows known at run time, 1 to kTileRows.
template <int vectorsWide = kTileVectors, typename T>
HWY_INLINE void makeTile(std::int64_t rows, TileFactors<T> left, std::int64_t depth, TileRows<T> right,
                         TileRows<T> start, T* out, std::int64_t outStride)
{
    switch (rows) {
    case 1: return makeTile<1, vectorsWide>(left, depth, right, start, out, outStride);
    case 2: return makeTile<2, vectorsWide>(left, depth, right, start, out, outStride);
    case 3: return makeTile<3, vectorsWide>(left, depth, right, start, out, outStride);
    case 4: return makeTile<4, vectorsWide>(left, depth, right, start, out, outStride);
    case 5: return makeTile<5, vectorsWide>(left, depth, right, start, out, outStride);
    default: return makeTile<6, vectorsWide>(left, depth, right, start, out, outStride);
    }
}

/// The same for a tile of fewer vectors, 1 to kTileVectors; more count as kTileVectors.
template <typename T>
void makeNarrowTile(std::int64_t rows, std::int64_t vectorsWide, TileFactors<T> left, std::int64_t depth,
                    TileRows<T> right, TileRows<T> start, T* out, std::int64_t outStride)
{
    switch (vectorsWide) {
    case 1: return makeTile<1>(rows, left, depth, right, start, out, outStride);
    case 2: return makeTile<2>(rows, left, depth, right, start, out, outStride);
    case 3: return makeTile<(kTileVectors > 3 ? 3 : kTileVectors)>(rows, left, depth, right, start, out, outStride);
    default: return makeTile(rows, left, depth, right, start, out, outStride);
    }
}

/// out (rows, columns) += left (rows, depth) right (depth, columns) for 1 to kTileRows rows and columns in whole
/// vectors. right(column) are the TileRows from a column on that is a multiple of kTileColumns.
template <typename T, class Right>
HWY_INLINE void addColumns(TileFactors<T> left, std::int64_t rows, std::int64_t depth, std::int64_t columns,
                           const Right& right, T* out, std::int64_t outStride)
{
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(TileLanes<T>()));
    for (std::int64_t column = 0; column < columns; column += kTileColumns<T>)
        makeNarrowTile(rows, (columns - column) / lanes, left, depth, right(column),
                       TileRows<T>{out + column, outStride}, out + column, outStride);
}

/// A packed matrix from a column on that is a multiple of kTileColumns.
template <typename T>
HWY_INLINE TileRows<T> tileOf(const PackedMatrix<T>& matrix, std::int64_t column)
{
    const std::int64_t inPanel = column % kPanelColumns;
    return {matrix.panel(column - inPanel) + inPanel, kPanelColumns};
}

/// Tiles of `count` rows.
constexpr std::int64_t tilesOf(std::int64_t count)
{
    return (count + kTileRows - 1) / kTileRows;
}

/// Calls body(first, rows) for `count` rows in as few tiles as there can be, of rows as equal as they can be.
template <class Body>
HWY_INLINE void forTiles(std::int64_t count, const Body& body)
{
    const std::int64_t tiles = tilesOf(count);
    for (std::int64_t tile = 0; tile < tiles; ++tile)
        body(tile * count / tiles, (tile + 1) * count / tiles - tile * count / tiles);
}

/// Rows of one step that a thread walks: row b is at b * stride.
template <typename T>
struct StepRows {
    T* data = nullptr;
    std::int64_t stride = 0;

    HWY_INLINE T* row(std::int64_t b) const { return data + b * stride; }
    HWY_INLINE T* rowOrNull(std::int64_t b) const { return data != nullptr ? row(b) : nullptr; }
    HWY_INLINE StepRows from(std::int64_t column) const { return {data + column, stride}; }
    HWY_INLINE operator StepRows<const T>() const { return {data, stride}; }
};

/// out (count, whole panels) = start + from (count, matrix.rows) matrix; `start` may be `out`. Of both the columns of
/// whole panels are used. The panel is the outer loop: it is read once a step, and stays near for the rows.
template <typename T>
void makeProduct(std::type_identity_t<StepRows<const T>> from, std::int64_t count, const PackedMatrix<T>& matrix,
                 std::type_identity_t<StepRows<const T>> start, StepRows<T> out)
{
    for (std::int64_t column = 0; column < matrix.columns; column += kTileColumns<T>) {
        const TileRows<T> right = tileOf(matrix, column);
        forTiles(count, [&](std::int64_t first, std::int64_t rows) HWY_ATTR {
            makeTile(rows, TileFactors<T>{from.row(first), from.stride, 1}, matrix.rows, right,
                     TileRows<T>{start.row(first) + column, start.stride}, out.row(first) + column, out.stride);
        });
    }
}

/// to (count, whole panels) += from (count, matrix.rows) matrix
template <typename T>
void addProduct(std::type_identity_t<StepRows<const T>> from, std::int64_t count, const PackedMatrix<T>& matrix,
                StepRows<T> to)
{
    makeProduct(from, count, matrix, to, to);
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_PACKED_PRODUCT_INL_H
