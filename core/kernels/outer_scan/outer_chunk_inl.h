// SPDX-License-Identifier: GPL-3.0-or-later
// A chunk of outer_scan (outer_scan.h): some steps of one head in a core's cache, and the products in it. Included once
// for each CPU target.

#if defined(UNROLL_OUTER_CHUNK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_OUTER_CHUNK_INL_H
#undef UNROLL_OUTER_CHUNK_INL_H
#else
#define UNROLL_OUTER_CHUNK_INL_H
#endif

#include "core/kernels/heads/head_steps_inl.h"
#include "core/kernels/outer_scan/outer_scan_params.h"

#include <algorithm>
#include <type_traits>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// out (rows, columns) = left (rows, depth) right (depth, columns), `added` to what is there or not. Columns in whole
/// vectors.
template <bool added, typename T>
HWY_INLINE void outerProduct(TileFactors<T> left, std::int64_t rows, std::int64_t depth, HeadMatrix<T> right,
                             HeadMatrix<T> out)
{
    for (std::int64_t column = 0; column < out.stride; column += kTileColumns<T>)
        forTiles(rows, [&](std::int64_t first, std::int64_t count) HWY_ATTR {
            T* to = out.row(first) + column;
            makeNarrowTile(count, (out.stride - column) / kHeadLanes<T>,
                           TileFactors<T>{left.data + first * left.rowStep, left.rowStep, left.depthStep}, depth,
                           TileRows<T>{right.data + column, right.stride},
                           added ? TileRows<T>{to, out.stride} : TileRows<T>{}, to, out.stride);
        });
}

template <typename T>
HWY_INLINE TileFactors<T> asItLies(HeadMatrix<T> matrix)
{
    return {matrix.data, matrix.stride, 1};
}
template <typename T>
HWY_INLINE TileFactors<T> turnedOver(HeadMatrix<T> matrix)
{
    return {matrix.data, 1, matrix.stride};
}

/// to (columns, rows) = the transposed of from (rows, columns), both counted in fours.
template <typename T>
HWY_INLINE void turnOver(HeadMatrix<T> from, std::int64_t rows, std::int64_t columns, HeadMatrix<T> to)
{
    for (std::int64_t i = 0; i < rows; i += kTransposedTogether)
        for (std::int64_t j = 0; j < columns; j += kTransposedTogether)
            transposeFour(from.row(i) + j, from.stride, to.row(j) + i, to.stride);
}

/// body(v, offset) for each vector of a row in scratch memory
template <typename T, class Body>
HWY_INLINE void eachVector(std::int64_t stride, const Body& body)
{
    for (std::int64_t j = 0; j < stride; j += kHeadLanes<T>)
        body(j);
}

/// to = left * right
template <typename T>
HWY_INLINE void multiplyRows(const T* left, const T* right, T* to, std::int64_t stride)
{
    const TileLanes<T> d;
    eachVector<T>(stride, [&](std::int64_t j) HWY_ATTR {
        hn::StoreU(hn::Mul(hn::LoadU(d, left + j), hn::LoadU(d, right + j)), d, to + j);
    });
}

/// row *= factor
template <typename T>
HWY_INLINE void scaleRow(T* row, T factor, std::int64_t stride)
{
    const TileLanes<T> d;
    const auto by = hn::Set(d, factor);
    eachVector<T>(stride, [&](std::int64_t j) HWY_ATTR { hn::StoreU(hn::Mul(by, hn::LoadU(d, row + j)), d, row + j); });
}

/// row *= factor + rest
template <typename T>
HWY_INLINE void scaleRow(T* row, T factor, T rest, std::int64_t stride)
{
    const TileLanes<T> d;
    const auto by = hn::Set(d, factor), andBy = hn::Set(d, rest);
    eachVector<T>(stride, [&](std::int64_t j) HWY_ATTR {
        const auto before = hn::LoadU(d, row + j);
        hn::StoreU(hn::MulAdd(andBy, before, hn::Mul(by, before)), d, row + j);
    });
}

/// Steps of one head: what is read of them, and what follows from that without a state.
template <typename T>
struct OuterChunk {
    std::int64_t steps = 0; ///< up to kHeadChunk
    bool each = false;      ///< a factor for each key; else every row of `a` holds one number
    HeadMatrix<T> q, k, a;  ///< (steps,n)
    HeadMatrix<T> v;        ///< (steps,m)
    HeadMatrix<T> since;    ///< (steps,n) factors from the chunk's beginning through each step, d_t0
    HeadMatrix<T> rest;     ///< (1,n) what the last row of `since` lacks, its rounding: see fade()
    HeadMatrix<T> faded;    ///< (steps,n) keys at the chunk's end, d_end,s k_s
    HeadMatrix<T> asked;    ///< (steps,n) d_t0 q_t
    HeadMatrix<T> weights;  ///< (steps,steps) A_ts, right for s <= t alone
    HeadMatrix<T> turned;   ///< (n,kHeadChunk) keys, column by column

    static std::int64_t numbers(std::int64_t keys, std::int64_t values)
    {
        return kHeadChunk * (6 * headRow<T>(keys) + headRow<T>(values) + headRow<T>(kHeadChunk)) +
               headRow<T>(keys) * (1 + headRow<T>(kHeadChunk));
    }

    OuterChunk(HeadScratch<T>& scratch, std::int64_t keys, std::int64_t values)
        : exact(static_cast<std::size_t>(headRow<T>(keys)))
    {
        for (HeadMatrix<T>* matrix : {&q, &k, &a, &since, &faded, &asked})
            *matrix = scratch.take(kHeadChunk, keys);
        rest = scratch.take(1, keys);
        v = scratch.take(kHeadChunk, values);
        weights = scratch.take(kHeadChunk, kHeadChunk);
        turned = scratch.take(headRow<T>(keys), kHeadChunk);
    }

    /// Factors from the beginning on, of q, k and a; the last row of `since` is those of the whole chunk.
    HWY_INLINE void prepare(std::int64_t keys)
    {
        for (std::int64_t t = 0; t < steps; ++t) {
            if (t == 0)
                copyRow(a.data, since.data, since.stride);
            else
                multiplyRows(since.row(t - 1), a.row(t), since.row(t), since.stride);
            multiplyRows(q.row(t), since.row(t), asked.row(t), asked.stride);
        }
        measureRest();
        each ? weighEachKey() : weighHeads(keys);
    }

    HWY_INLINE const T* whole() const { return since.row(steps - 1); }

    /// A state before the chunk, faded to its end; or a gradient after it, back to its beginning. A constant decay is
    /// rounded the same way in every chunk, which over hundreds of them adds up: hence the rest.
    HWY_INLINE void fade(HeadMatrix<T> state, std::int64_t key) const
    {
        scaleRow(state.row(key), whole()[key], rest.data[key], state.stride);
    }

    /// y (steps,m) = what the steps read of the state before the chunk and of each other.
    HWY_INLINE void read(HeadMatrix<T> state, std::int64_t keys, HeadMatrix<T> y) const
    {
        outerProduct<false>(asItLies(asked), steps, keys, state, y);
        for (std::int64_t t = 0; t < steps; ++t)
            outerProduct<true>(TileFactors<T>{weights.row(t), 0, 1}, 1, t + 1, v, HeadMatrix<T>{y.row(t), y.stride});
    }

    /// The state after the chunk, in place of the one before.
    HWY_INLINE void pass(HeadMatrix<T> state, std::int64_t keys) const
    {
        for (std::int64_t i = 0; i < keys; ++i)
            fade(state, i);
        outerProduct<true>(turnedOver(faded), keys, steps, v, state);
    }

private:
    std::vector<double> exact; ///< (n) factors of the whole chunk

    HWY_INLINE void measureRest()
    {
        if constexpr (std::is_same_v<T, float>) {
            const auto count = static_cast<std::size_t>(each ? rest.stride : 1);
            std::fill_n(exact.begin(), count, 1.0);
            for (std::int64_t t = 0; t < steps; ++t)
                for (std::size_t i = 0; i < count; ++i)
                    exact[i] *= a.row(t)[i];
            for (std::size_t i = 0; i < count; ++i)
                rest.data[i] = static_cast<T>(exact[i] - whole()[i]);
            std::fill(rest.data + count, rest.data + rest.stride, rest.data[0]);
        }
    }

    /// Every key decays by itself: the keys are faded along, and asked at each step.
    HWY_INLINE void weighEachKey()
    {
        for (std::int64_t t = 0; t < steps; ++t) {
            for (std::int64_t s = 0; s < t; ++s)
                multiplyRows(faded.row(s), a.row(t), faded.row(s), faded.stride);
            copyRow(k.row(t), faded.row(t), faded.stride);
            for (std::int64_t s = 0; s <= t; ++s)
                weights.row(t)[s] = headDot(q.row(t), faded.row(s), q.stride);
        }
    }

    /// One factor for all keys: the product of all queries with all keys, each number faded afterwards.
    HWY_INLINE void weighHeads(std::int64_t keys)
    {
        turnOver(k, kHeadChunk, k.stride, turned);
        outerProduct<false>(asItLies(q), steps, keys, turned, weights);
        T fading[kHeadChunk];
        for (std::int64_t t = 0; t < steps; ++t) {
            for (std::int64_t s = 0; s < t; ++s)
                fading[s] *= a.row(t)[0];
            fading[t] = T(1);
            for (std::int64_t s = 0; s < t; ++s)
                weights.row(t)[s] *= fading[s];
        }
        for (std::int64_t s = 0; s < steps; ++s) {
            copyRow(k.row(s), faded.row(s), faded.stride);
            scaleRow(faded.row(s), fading[s], faded.stride);
        }
    }
};

/// How a chunk's gradients go back to its q, k and a, one vector of keys at a time.
template <typename T>
struct OuterChunkGradients {
    HeadMatrix<T> y;           ///< (steps,m) arriving
    HeadMatrix<T> toWeights;   ///< (steps,steps) of A_ts, right for s <= t alone
    HeadMatrix<T> toFaded;     ///< (steps,n)
    HeadMatrix<T> toAsked;     ///< (steps,n)
    HeadMatrix<T> q, k, a;     ///< (steps,n)
    HeadMatrix<T> v;           ///< (steps,m)
    HeadMatrix<T> toWhole;     ///< (1,n)
    HeadMatrix<T> turnedV;     ///< (m,kHeadChunk)
    HeadMatrix<T> turnedY;     ///< (m,kHeadChunk)
    HeadMatrix<T> turnedKeys;  ///< (n,kHeadChunk)
    HeadMatrix<T> fadingBlock; ///< keys of one vector at all steps: row r of r + 1 vectors

    static constexpr std::int64_t fadings = (kHeadChunk + 1) * (kHeadChunk + 2) / 2;

    static std::int64_t numbers(std::int64_t keys, std::int64_t values)
    {
        const std::int64_t n = headRow<T>(keys), m = headRow<T>(values), c = headRow<T>(kHeadChunk);
        return kHeadChunk * (2 * m + 5 * n + c) + n + c * (2 * m + n) + fadings * headRow<T>(1);
    }

    OuterChunkGradients(HeadScratch<T>& scratch, std::int64_t keys, std::int64_t values)
    {
        for (HeadMatrix<T>* matrix : {&y, &v})
            *matrix = scratch.take(kHeadChunk, values);
        for (HeadMatrix<T>* matrix : {&toFaded, &toAsked, &q, &k, &a})
            *matrix = scratch.take(kHeadChunk, keys);
        toWeights = scratch.take(kHeadChunk, kHeadChunk);
        toWhole = scratch.take(1, keys);
        turnedV = scratch.take(headRow<T>(values), kHeadChunk);
        turnedY = scratch.take(headRow<T>(values), kHeadChunk);
        turnedKeys = scratch.take(headRow<T>(keys), kHeadChunk);
        fadingBlock = scratch.take(fadings, 1);
    }

    /// Of a chunk before whose steps the state was `before`; `carry` is the gradient of the state after the chunk, and
    /// becomes that of the state before it. y holds what arrives.
    HWY_INLINE void make(const OuterChunk<T>& chunk, HeadMatrix<T> before, HeadMatrix<T> carry, std::int64_t keys,
                         std::int64_t values)
    {
        const std::int64_t steps = chunk.steps;
        turnOver(chunk.v, kHeadChunk, chunk.v.stride, turnedV);
        turnOver(y, kHeadChunk, y.stride, turnedY);
        outerProduct<false>(asItLies(y), steps, values, turnedV, toWeights);
        outerProduct<false>(asItLies(carry), keys, values, turnedV, turnedKeys);
        turnOver(turnedKeys, headRow<T>(keys), headRow<T>(kHeadChunk), toFaded);
        outerProduct<false>(asItLies(before), keys, values, turnedY, turnedKeys);
        turnOver(turnedKeys, headRow<T>(keys), headRow<T>(kHeadChunk), toAsked);
        outerProduct<false>(asItLies(chunk.faded), steps, keys, carry, v);
        for (std::int64_t s = 0; s < steps; ++s)
            outerProduct<true>(TileFactors<T>{chunk.weights.row(s) + s, 0, chunk.weights.stride}, 1, steps - s,
                               HeadMatrix<T>{y.row(s), y.stride}, HeadMatrix<T>{v.row(s), v.stride});
        for (std::int64_t i = 0; i < keys; ++i) {
            toWhole.data[i] = headDot(before.row(i), carry.row(i), carry.stride);
            chunk.fade(carry, i);
        }
        outerProduct<true>(turnedOver(chunk.asked), keys, steps, y, carry);
        eachVector<T>(chunk.q.stride, [&](std::int64_t j) HWY_ATTR { throughFactors(chunk, j); });
    }

private:
    /// Row r holds the state of affairs after r steps: number 0 is the product of all factors so far, number s + 1 the
    /// key of step s as it has faded.
    HWY_INLINE T* fading(std::int64_t row, std::int64_t number) const
    {
        return fadingBlock.row(row * (row + 1) / 2 + number);
    }

    /// The adjoint of one vector of keys, step by step back. Element s of `arriving` is the gradient of the key of step
    /// s as it is there.
    HWY_INLINE void throughFactors(const OuterChunk<T>& chunk, std::int64_t j) const
    {
        const TileLanes<T> d;
        const auto at = [&](const HeadMatrix<T>& matrix, std::int64_t t)
                            HWY_ATTR { return hn::LoadU(d, matrix.row(t) + j); };
        hn::StoreU(hn::Set(d, T(1)), d, fading(0, 0));
        for (std::int64_t t = 0; t < chunk.steps; ++t) {
            const auto factor = at(chunk.a, t);
            for (std::int64_t s = 0; s <= t; ++s)
                hn::StoreU(hn::Mul(factor, hn::LoadU(d, fading(t, s))), d, fading(t + 1, s));
            hn::StoreU(at(chunk.k, t), d, fading(t + 1, t + 1));
        }
        HWY_ALIGN T arriving[(kHeadChunk + 1) * HWY_MAX_BYTES / sizeof(T)];
        const auto arrived = [&](std::int64_t number) HWY_ATTR { return arriving + number * kHeadLanes<T>; };
        hn::StoreU(at(toWhole, 0), d, arrived(0));
        for (std::int64_t s = 0; s < chunk.steps; ++s)
            hn::StoreU(at(toFaded, s), d, arrived(s + 1));
        for (std::int64_t t = chunk.steps - 1; t >= 0; --t)
            throughStep(chunk, t, j, arrived);
    }

    template <class Arrived>
    HWY_INLINE void throughStep(const OuterChunk<T>& chunk, std::int64_t t, std::int64_t j,
                                const Arrived& arrived) const
    {
        const TileLanes<T> d;
        const auto factor = hn::LoadU(d, chunk.a.row(t) + j), query = hn::LoadU(d, chunk.q.row(t) + j);
        auto toQuery = hn::Zero(d), toFactor = hn::Zero(d);
        for (std::int64_t s = 0; s <= t + 1; ++s) {
            const auto asked = s == 0 ? hn::LoadU(d, toAsked.row(t) + j) : hn::Set(d, toWeights.row(t)[s - 1]);
            const auto here = hn::MulAdd(asked, query, hn::LoadU(d, arrived(s)));
            toQuery = hn::MulAdd(asked, hn::LoadU(d, fading(t + 1, s)), toQuery);
            if (s == t + 1) {
                hn::StoreU(here, d, k.row(t) + j);
                continue;
            }
            toFactor = hn::MulAdd(here, hn::LoadU(d, fading(t, s)), toFactor);
            hn::StoreU(hn::Mul(factor, here), d, arrived(s));
        }
        hn::StoreU(toQuery, d, q.row(t) + j);
        hn::StoreU(toFactor, d, a.row(t) + j);
    }
};

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_OUTER_CHUNK_INL_H
