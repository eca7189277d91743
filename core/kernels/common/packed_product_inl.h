// SPDX-License-Identifier: GPL-3.0-or-later
// Products of a few rows with a packed matrix that stays in cache from step to step. Included once for each CPU target.

#if defined(UNROLL_PACKED_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_PACKED_PRODUCT_INL_H
#undef UNROLL_PACKED_PRODUCT_INL_H
#else
#define UNROLL_PACKED_PRODUCT_INL_H
#endif

#include "core/kernels/common/packed_matrix.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A tile of sums in registers: up to tileRows rows of tileVectors vectors. With 32 registers 24 sums, with 16 twelve, and a few to spare for
/// the factors: enough sums under way to hide the latency of a multiply-add.
inline constexpr std::int64_t tileRows = 6;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_ARCH_ARM_A64
inline constexpr int tileVectors = 4;
#else
inline constexpr int tileVectors = 2;
#endif

template <typename T>
using TileLanes = hn::CappedTag<T, static_cast<std::size_t>(panelColumns) / 4>;

template <typename T>
constexpr std::int64_t tileColumns = tileVectors* static_cast<std::int64_t>(hn::MaxLanes(TileLanes<T>()));

/// The left factor of a tile: element k of row r is at r * rowStep + k * depthStep.
template <typename T>
struct TileFactors {
    const T* data;
    std::int64_t rowStep, depthStep;
};

/// The right factor of a tile: tileColumns columns of rows that are `stride` apart.
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

/// Nothing is to be done beside a product.
struct NothingBeside {
    HWY_INLINE void operator()() const {}
};

/// What goes on beside a product is called once for so many multiplications of a tile along the depth.
inline constexpr std::int64_t besideDepth = 32;

constexpr std::int64_t timesBeside(std::int64_t depth)
{
    return (depth + besideDepth - 1) / besideDepth;
}

/// out (rows, tileColumns) = start + left (rows, depth) right (depth, tileColumns); `start` may be `out`, have stride 0: one row for all, or be absent:
/// zeros. Each sum runs along k = 0, 1, ... from zero whatever the rows beside it, so that numbers do not depend on how rows are put together,
/// and is added to `start` at the end: a product made block after block rounds as often as a block is deep, not as the whole is. beside() is
/// called timesBeside(depth) times on the way.
template <int rows, int vectorsWide = tileVectors, typename T, class Beside = NothingBeside>
HWY_INLINE void makeTile(TileFactors<T> left, std::int64_t depth, TileRows<T> right, TileRows<T> start, T* out,
                         std::int64_t outStride, Beside&& beside = {})
{
    const TileLanes<T> d;
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(TileLanes<T>()));
    hn::Vec<TileLanes<T>> sum[rows][vectorsWide]; // in registers, so every loop over it is unrolled
    eachSum<rows, vectorsWide>([&](int r, int v) HWY_ATTR { sum[r][v] = hn::Zero(d); });
    const auto startAt = [&](int r, int v) HWY_ATTR { return start.data + r * start.stride + v * lanes; };
    eachSum<rows, vectorsWide>([&](int r, int v) HWY_ATTR { hwy::Prefetch(out + r * outStride + v * lanes); });
    if (start.data != nullptr)
        eachSum<rows, vectorsWide>([&](int r, int v) HWY_ATTR { hwy::Prefetch(startAt(r, v)); });
    constexpr bool alone = std::is_same_v<std::remove_cvref_t<Beside>, NothingBeside>;
    for (std::int64_t k = 0, end = 0; k < depth;) {
        end = alone ? depth : std::min(end + besideDepth, depth);
        beside();
        for (; k < end; ++k) {
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
    }
    if (start.data != nullptr)
        eachSum<rows, vectorsWide>([&](int r, int v)
                                       HWY_ATTR { sum[r][v] = hn::Add(hn::LoadU(d, startAt(r, v)), sum[r][v]); });
    eachSum<rows, vectorsWide>([&](int r, int v)
                                   HWY_ATTR { hn::StoreU(sum[r][v], d, out + r * outStride + v * lanes); });
}

/// The same for a number of rows known at run time, 1 to tileRows.
template <int vectorsWide = tileVectors, typename T, class Beside = NothingBeside>
HWY_INLINE void makeTile(std::int64_t rows, TileFactors<T> left, std::int64_t depth, TileRows<T> right,
                         TileRows<T> start, T* out, std::int64_t outStride, Beside&& beside = {})
{
    switch (rows) {
    case 1: return makeTile<1, vectorsWide>(left, depth, right, start, out, outStride, beside);
    case 2: return makeTile<2, vectorsWide>(left, depth, right, start, out, outStride, beside);
    case 3: return makeTile<3, vectorsWide>(left, depth, right, start, out, outStride, beside);
    case 4: return makeTile<4, vectorsWide>(left, depth, right, start, out, outStride, beside);
    case 5: return makeTile<5, vectorsWide>(left, depth, right, start, out, outStride, beside);
    default: return makeTile<6, vectorsWide>(left, depth, right, start, out, outStride, beside);
    }
}

/// The same for a tile of fewer vectors, 1 to tileVectors; more count as tileVectors.
template <typename T>
void makeNarrowTile(std::int64_t rows, std::int64_t vectorsWide, TileFactors<T> left, std::int64_t depth,
                    TileRows<T> right, TileRows<T> start, T* out, std::int64_t outStride)
{
    switch (vectorsWide) {
    case 1: return makeTile<1>(rows, left, depth, right, start, out, outStride);
    case 2: return makeTile<2>(rows, left, depth, right, start, out, outStride);
    case 3: return makeTile<(tileVectors > 3 ? 3 : tileVectors)>(rows, left, depth, right, start, out, outStride);
    default: return makeTile(rows, left, depth, right, start, out, outStride);
    }
}

/// out (rows, columns) += left (rows, depth) right (depth, columns) for 1 to tileRows rows and columns in whole vectors. right(column) are the
/// TileRows from a column on that is a multiple of tileColumns.
template <typename T, class Right>
HWY_INLINE void addColumns(TileFactors<T> left, std::int64_t rows, std::int64_t depth, std::int64_t columns,
                           const Right& right, T* out, std::int64_t outStride)
{
    constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(TileLanes<T>()));
    for (std::int64_t column = 0; column < columns; column += tileColumns<T>)
        makeNarrowTile(rows, (columns - column) / lanes, left, depth, right(column),
                       TileRows<T>{out + column, outStride}, out + column, outStride);
}

/// A packed matrix from a column on that is a multiple of tileColumns.
template <typename T>
HWY_INLINE TileRows<T> tileOf(const PackedMatrix<T>& matrix, std::int64_t column)
{
    const std::int64_t inPanel = column % panelColumns;
    return {matrix.panel(column - inPanel) + inPanel, panelColumns};
}

/// The tiles of a packed matrix that begins with `column` of the whole.
template <typename T>
class PackedTiles {
public:
    PackedTiles(PackedMatrix<T> matrix, std::int64_t column) : m_matrix(matrix), m_column(column) {}

    HWY_INLINE TileRows<T> at(std::int64_t column) const { return tileOf(m_matrix, column - m_column); }

private:
    PackedMatrix<T> m_matrix;
    std::int64_t m_column;
};

/// Up to `most` rows of a matrix as tiles read them: whole tiles of columns where they lie, the last and narrower one from a copy that zeros
/// fill up.
template <typename T, std::int64_t most>
class TilesInPlace {
public:
    TilesInPlace(TileRows<T> matrix, std::int64_t rows, std::int64_t columns)
        : m_matrix(matrix), m_whole(columns - columns % tileColumns<T>)
    {
        const std::int64_t rest = columns - m_whole;
        for (std::int64_t k = 0; rest > 0 && k < rows; ++k) {
            T* to = m_last + k * tileColumns<T>;
            std::fill(std::copy_n(matrix.data + k * matrix.stride + m_whole, rest, to), to + tileColumns<T>, T{0});
        }
    }

    HWY_INLINE TileRows<T> at(std::int64_t column) const
    {
        return column < m_whole ? TileRows<T>{m_matrix.data + column, m_matrix.stride}
                                : TileRows<T>{m_last, tileColumns<T>};
    }

private:
    TileRows<T> m_matrix;
    std::int64_t m_whole;
    HWY_ALIGN T m_last[most * tileColumns<T>];
};

/// Tiles of `count` rows, and of `columns`.
constexpr std::int64_t tilesOf(std::int64_t count)
{
    return (count + tileRows - 1) / tileRows;
}

template <typename T>
constexpr std::int64_t tilesAcross(std::int64_t columns)
{
    return (columns + tileColumns<T> - 1) / tileColumns<T>;
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

/// How often something is called that goes on beside a product of `count` rows.
template <typename T>
std::int64_t turnsOf(std::int64_t count, const PackedMatrix<T>& matrix)
{
    return tilesOf(count) * tilesAcross<T>(matrix.columns) * timesBeside(matrix.rows);
}

/// out (count, whole panels) = start + from (count, matrix.rows) matrix; `start` may be `out`. Of both the columns of whole panels are used. The panel
/// is the outer loop: it is read once a step, and stays near for the rows.
template <typename T, class Beside = NothingBeside>
void makeProduct(std::type_identity_t<StepRows<const T>> from, std::int64_t count, const PackedMatrix<T>& matrix,
                 std::type_identity_t<StepRows<const T>> start, StepRows<T> out, Beside&& beside = {})
{
    for (std::int64_t column = 0; column < matrix.columns; column += tileColumns<T>) {
        const TileRows<T> right = tileOf(matrix, column);
        forTiles(count, [&](std::int64_t first, std::int64_t rows) HWY_ATTR {
            makeTile(rows, TileFactors<T>{from.row(first), from.stride, 1}, matrix.rows, right,
                     TileRows<T>{start.row(first) + column, start.stride}, out.row(first) + column, out.stride, beside);
        });
    }
}

/// to (count, whole panels) += from (count, matrix.rows) matrix
template <typename T, class Beside = NothingBeside>
void addProduct(std::type_identity_t<StepRows<const T>> from, std::int64_t count, const PackedMatrix<T>& matrix,
                StepRows<T> to, Beside&& beside = {})
{
    makeProduct(from, count, matrix, to, to, beside);
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_PACKED_PRODUCT_INL_H
