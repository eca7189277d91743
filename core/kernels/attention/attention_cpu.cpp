// SPDX-License-Identifier: GPL-3.0-or-later
// One head at a time: its rows are copied side by side, turned on the way; scores of a block of queries against all
// keys before them; and the products on the tiles of packed_product_inl.h, which skip most of what causality makes
// zero.
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/attention/attention_cpu.h"
#include "core/kernels/cpu/flush_denormals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/attention/attention_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/attention/rope_inl.h"
#include "core/kernels/cpu/lanes_inl.h"
#include "core/kernels/cpu/packed_product_inl.h"
#include "core/kernels/cpu/transposed_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
constexpr std::int64_t kTileLanes = static_cast<std::int64_t>(hn::MaxLanes(TileLanes<T>()));

/// Sizes of a head's arrays. Rows of features are filled up with zeros to `wide` numbers, keys to `columns`, whole
/// panels.
template <typename T>
struct HeadSize {
    std::int64_t steps, features;
    std::int64_t wide = roundedUp(features, kFeaturesTogether);
    std::int64_t columns = wholePanels(steps);
};

/// Arrays carved one behind the other.
template <typename T>
class Scratch {
public:
    HWY_INLINE explicit Scratch(T* from) : m_next(from) {}

    HWY_INLINE T* take(std::int64_t count)
    {
        T* taken = m_next;
        m_next += count;
        return taken;
    }

private:
    T* m_next;
};

/// One head's rows, (columns, wide) each, zeros beyond the steps and the features; queries are divided by
/// sqrt(features).
template <typename T>
struct HeadRows {
    HWY_INLINE HeadRows(const HeadSize<T>& size, Scratch<T>& scratch)
        : q(scratch.take(size.columns * size.wide)),
          k(scratch.take(size.columns * size.wide)),
          v(scratch.take(size.columns * size.wide))
    {}
    T *q, *k, *v;
};

template <typename T>
HWY_INLINE void scaleRow(T* row, std::int64_t count, T by)
{
    const hn::ScalableTag<T> d;
    const auto factor = hn::Set(d, by);
    forLanes(d, count, [&](auto lanes, std::int64_t i) HWY_ATTR {
        lanes.store(d, hn::Mul(factor, lanes.load(d, row + i)), row + i);
    });
}

/// One row, turned by the angles of its step where there are any; T direction: 1, or -1 for back.
template <typename T>
HWY_INLINE void copyTurned(const AttentionParts<T>& p, std::int64_t step, const T* from, T direction, T* to)
{
    const std::int64_t half = p.features / 2;
    if (p.cos != nullptr)
        rotateRow<T>({from, p.cos + step * half, p.sin + step * half, to}, half, direction);
    else
        copyRow(from, to, p.features);
}

template <typename T>
T scaleOf(std::int64_t features)
{
    return T{1} / std::sqrt(static_cast<T>(features));
}

template <typename T>
HWY_INLINE void readHead(const AttentionParts<T>& p, std::int64_t sequence, std::int64_t head, const HeadSize<T>& size,
                         const HeadRows<T>& rows)
{
    const std::int64_t width = p.heads * p.features;
    std::fill_n(rows.q, 3 * size.columns * size.wide, T{0}); // they lie one behind the other
    for (std::int64_t t = 0; t < p.steps; ++t) {
        const T* from = p.qkv.row(t, sequence) + head * p.features;
        T* q = rows.q + t * size.wide;
        copyTurned(p, t, from, T{1}, q);
        scaleRow(q, p.features, scaleOf<T>(p.features));
        copyTurned(p, t, from + width, T{1}, rows.k + t * size.wide);
        copyRow(from + 2 * width, rows.v + t * size.wide, p.features);
    }
}

/// Queries [begin, end) and their rows against all keys before `end`.
template <typename T>
struct QueryBlock {
    std::int64_t begin, end;
    std::int64_t columns; ///< of each row of numbers: the keys, filled up to whole vectors
};

/// to (queries, size.columns) = rows of the block times what is packed, as far as causality lets them see; zeros
/// elsewhere in block.columns.
template <typename T>
HWY_INLINE void multiplyBefore(const HeadSize<T>& size, const QueryBlock<T>& block, const T* rows, const T* panels,
                               T* to)
{
    for (std::int64_t t = 0; t < block.end - block.begin; ++t)
        std::fill_n(to + t * size.columns, block.columns, T{0});
    forTiles(block.end - block.begin, [&](std::int64_t first, std::int64_t count) HWY_ATTR {
        const std::int64_t keys = roundedUp(block.begin + first + count, kTileLanes<T>);
        addColumns<T>(
            {rows + (block.begin + first) * size.wide, size.wide, 1}, count, size.features, keys,
            [&](std::int64_t column) {
                return tileOf(PackedMatrix<T>{panels, size.wide, size.columns}, column);
            },
            to + first * size.columns, size.columns);
    });
}

/// out (queries, wide) += weights (queries, size.columns) rows, where a query has weights up to its own step alone.
template <typename T>
HWY_INLINE void addBefore(const HeadSize<T>& size, const QueryBlock<T>& block, const T* weights, const T* rows, T* out)
{
    forTiles(block.end - block.begin, [&](std::int64_t first, std::int64_t count) HWY_ATTR {
        addColumns<T>(
            {weights + first * size.columns, size.columns, 1}, count, block.begin + first + count,
            roundedUp(size.features, kTileLanes<T>),
            [&](std::int64_t column) {
                return TileRows<T>{rows + column, size.wide};
            },
            out + (block.begin + first) * size.wide, size.wide);
    });
}

/// out (keys, wide) += weights^T (keys, queries) rows: a key is seen by the queries from its own step on.
template <typename T>
HWY_INLINE void addAfter(const HeadSize<T>& size, const QueryBlock<T>& block, const T* weights, const T* rows, T* out)
{
    forTiles(block.end, [&](std::int64_t key, std::int64_t count) HWY_ATTR {
        const std::int64_t from = std::max(block.begin, key);
        addColumns<T>(
            {weights + (from - block.begin) * size.columns + key, 1, size.columns}, count, block.end - from,
            roundedUp(size.features, kTileLanes<T>),
            [&](std::int64_t column) {
                return TileRows<T>{rows + from * size.wide + column, size.wide};
            },
            out + key * size.wide, size.wide);
    });
}

/// row[i] = exp(row[i] - max) / sum for i < count; zeros from there to `columns`, whole vectors.
template <typename T>
HWY_INLINE void softmax(T* row, std::int64_t count, std::int64_t columns)
{
    const TileLanes<T> d;
    const std::int64_t whole = count - count % kTileLanes<T>;
    const auto rest = hn::FirstN(d, static_cast<std::size_t>(count - whole));
    const auto lowest = hn::Set(d, -std::numeric_limits<T>::infinity());
    const auto last = [&] { return hn::IfThenElse(rest, hn::LoadU(d, row + whole), lowest); };
    auto greatest = lowest;
    for (std::int64_t i = 0; i < whole; i += kTileLanes<T>)
        greatest = hn::Max(greatest, hn::LoadU(d, row + i));
    if (whole < count)
        greatest = hn::Max(greatest, last());
    greatest = hn::MaxOfLanes(d, greatest);
    auto sum = hn::Zero(d);
    for (std::int64_t i = 0; i < whole; i += kTileLanes<T>) {
        const auto e = exp(d, hn::Sub(hn::LoadU(d, row + i), greatest));
        sum = hn::Add(sum, e);
        hn::StoreU(e, d, row + i);
    }
    if (whole < count) {
        const auto e = hn::IfThenElseZero(rest, exp(d, hn::Sub(hn::LoadU(d, row + whole), greatest)));
        sum = hn::Add(sum, e);
        hn::StoreU(e, d, row + whole);
    }
    const auto factor = hn::Div(hn::Set(d, T{1}), hn::SumOfLanes(d, sum));
    for (std::int64_t i = 0; i < count; i += kTileLanes<T>)
        hn::StoreU(hn::Mul(factor, hn::LoadU(d, row + i)), d, row + i);
    std::fill(row + roundedUp(count, kTileLanes<T>), row + columns, T{0});
}

/// What the weights w of a row pass on to its scores, in the place of dw: w (dw - sum of w dw).
template <typename T>
HWY_INLINE void softmaxBackward(const T* weights, T* gradients, std::int64_t columns)
{
    const TileLanes<T> d;
    auto sum = hn::Zero(d);
    for (std::int64_t i = 0; i < columns; i += kTileLanes<T>)
        sum = hn::MulAdd(hn::LoadU(d, weights + i), hn::LoadU(d, gradients + i), sum);
    sum = hn::SumOfLanes(d, sum);
    for (std::int64_t i = 0; i < columns; i += kTileLanes<T>)
        hn::StoreU(hn::Mul(hn::LoadU(d, weights + i), hn::Sub(hn::LoadU(d, gradients + i), sum)), d, gradients + i);
}

/// Calls body(block) for all queries.
template <typename T, class Body>
HWY_INLINE void forBlocks(std::int64_t steps, const Body& body)
{
    for (std::int64_t begin = 0; begin < steps; begin += kBlockQueries) {
        const std::int64_t end = std::min(steps, begin + kBlockQueries);
        body(QueryBlock<T>{begin, end, roundedUp(end, kTileLanes<T>)});
    }
}

/// The weights of a block's queries, (queries, size.columns).
template <typename T>
HWY_INLINE void weigh(const HeadSize<T>& size, const QueryBlock<T>& block, const T* q, const T* keyPanels, T* weights)
{
    multiplyBefore(size, block, q, keyPanels, weights);
    for (std::int64_t t = block.begin; t < block.end; ++t)
        softmax(weights + (t - block.begin) * size.columns, t + 1, block.columns);
}

template <typename T>
void attend(const AttentionParts<T>& p, std::int64_t sequence, std::int64_t head, Rows<T> y, T* memory)
{
    const FlushDenormals flush;
    const HeadSize<T> size{p.steps, p.features};
    Scratch<T> scratch(memory);
    const HeadRows<T> rows(size, scratch);
    T* keyPanels = scratch.take(size.columns * size.wide);
    T* weights = scratch.take(kBlockQueries * size.columns);
    T* out = scratch.take(size.columns * size.wide);
    readHead(p, sequence, head, size, rows);
    packTransposedMatrix(rows.k, size.wide, size.columns, size.wide, keyPanels);
    std::fill_n(out, size.steps * size.wide, T{0});
    forBlocks<T>(p.steps, [&](const QueryBlock<T>& block) HWY_ATTR {
        weigh(size, block, rows.q, keyPanels, weights);
        addBefore(size, block, weights, rows.v, out);
    });
    for (std::int64_t t = 0; t < p.steps; ++t)
        copyRow(out + t * size.wide, y.row(t, sequence) + head * p.features, p.features);
}

template <typename T>
void attendBackward(const AttentionParts<T>& p, std::int64_t sequence, std::int64_t head, Rows<const T> dy, Rows<T> to,
                    T* memory)
{
    const FlushDenormals flush;
    const HeadSize<T> size{p.steps, p.features};
    const std::int64_t all = size.columns * size.wide;
    Scratch<T> scratch(memory);
    const HeadRows<T> rows(size, scratch);
    T *keyPanels = scratch.take(all), *valuePanels = scratch.take(all), *dOut = scratch.take(all);
    T* weights = scratch.take(kBlockQueries * size.columns);
    T* dScores = scratch.take(kBlockQueries * size.columns);
    const HeadRows<T> gradients(size, scratch);
    readHead(p, sequence, head, size, rows);
    std::fill_n(gradients.q, 3 * all, T{0});
    std::fill_n(dOut, all, T{0});
    for (std::int64_t t = 0; t < p.steps; ++t)
        copyRow(dy.row(t, sequence) + head * p.features, dOut + t * size.wide, p.features);
    packTransposedMatrix(rows.k, size.wide, size.columns, size.wide, keyPanels);
    packTransposedMatrix(rows.v, size.wide, size.columns, size.wide, valuePanels);
    forBlocks<T>(p.steps, [&](const QueryBlock<T>& block) HWY_ATTR {
        weigh(size, block, rows.q, keyPanels, weights);
        multiplyBefore(size, block, dOut, valuePanels, dScores);
        for (std::int64_t t = 0; t < block.end - block.begin; ++t)
            softmaxBackward(weights + t * size.columns, dScores + t * size.columns, block.columns);
        addAfter(size, block, weights, dOut, gradients.v);
        addAfter(size, block, dScores, rows.q, gradients.k);
        addBefore(size, block, dScores, rows.k, gradients.q);
    });
    const std::int64_t width = p.heads * p.features;
    for (std::int64_t t = 0; t < p.steps; ++t) {
        T* row = to.row(t, sequence) + head * p.features;
        scaleRow(gradients.q + t * size.wide, p.features, scaleOf<T>(p.features));
        copyTurned(p, t, gradients.q + t * size.wide, T{-1}, row);
        copyTurned(p, t, gradients.k + t * size.wide, T{-1}, row + width);
        copyRow(gradients.v + t * size.wide, row + 2 * width, p.features);
    }
}

void attendFloats(const AttentionParts<float>& p, std::int64_t sequence, std::int64_t head, Rows<float> y,
                  float* memory)
{
    attend(p, sequence, head, y, memory);
}
void attendDoubles(const AttentionParts<double>& p, std::int64_t sequence, std::int64_t head, Rows<double> y,
                   double* memory)
{
    attend(p, sequence, head, y, memory);
}
void attendBackwardFloats(const AttentionParts<float>& p, std::int64_t sequence, std::int64_t head,
                          Rows<const float> dy, Rows<float> to, float* memory)
{
    attendBackward(p, sequence, head, dy, to, memory);
}
void attendBackwardDoubles(const AttentionParts<double>& p, std::int64_t sequence, std::int64_t head,
                           Rows<const double> dy, Rows<double> to, double* memory)
{
    attendBackward(p, sequence, head, dy, to, memory);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(attendFloats);
HWY_EXPORT(attendDoubles);
HWY_EXPORT(attendBackwardFloats);
HWY_EXPORT(attendBackwardDoubles);

void attendOnCpu(const AttentionParts<float>& parts, std::int64_t sequence, std::int64_t head, Rows<float> y,
                 float* scratch)
{
    HWY_DYNAMIC_DISPATCH(attendFloats)(parts, sequence, head, y, scratch);
}

void attendOnCpu(const AttentionParts<double>& parts, std::int64_t sequence, std::int64_t head, Rows<double> y,
                 double* scratch)
{
    HWY_DYNAMIC_DISPATCH(attendDoubles)(parts, sequence, head, y, scratch);
}

void attendBackwardOnCpu(const AttentionParts<float>& parts, std::int64_t sequence, std::int64_t head,
                         Rows<const float> dy, Rows<float> dqkv, float* scratch)
{
    HWY_DYNAMIC_DISPATCH(attendBackwardFloats)(parts, sequence, head, dy, dqkv, scratch);
}

void attendBackwardOnCpu(const AttentionParts<double>& parts, std::int64_t sequence, std::int64_t head,
                         Rows<const double> dy, Rows<double> dqkv, double* scratch)
{
    HWY_DYNAMIC_DISPATCH(attendBackwardDoubles)(parts, sequence, head, dy, dqkv, scratch);
}

} // namespace unroll::kernels
#endif
