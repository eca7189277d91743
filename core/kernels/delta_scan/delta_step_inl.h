// SPDX-License-Identifier: GPL-3.0-or-later
// One step of one head of delta_scan (delta_scan.h), forward and back, on states in a core's cache. Included once for
// each CPU target.

#if defined(UNROLL_DELTA_STEP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_DELTA_STEP_INL_H
#undef UNROLL_DELTA_STEP_INL_H
#else
#define UNROLL_DELTA_STEP_INL_H
#endif

#include "core/kernels/delta_scan/delta_scan_params.h"
#include "core/kernels/heads/head_steps_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Calls body.operator()<wide>(offset) for blocks of `most`, then 2, then 1 vectors of a row.
template <int most, typename T, class Body>
HWY_INLINE void eachBlock(std::int64_t stride, const Body& body)
{
    std::int64_t offset = 0;
    for (; offset + most * kHeadLanes<T> <= stride; offset += most * kHeadLanes<T>)
        body.template operator()<most>(offset);
    if constexpr (most > 2)
        for (; offset + 2 * kHeadLanes<T> <= stride; offset += 2 * kHeadLanes<T>)
            body.template operator()<2>(offset);
    for (; offset < stride; offset += kHeadLanes<T>)
        body.template operator()<1>(offset);
}

/// What a forward step reads. Keys number by number, values as rows of whole vectors.
template <typename T>
struct DeltaForwardStep {
    const T *q, *k, *b;   ///< (n); b nullptr: k
    const T* w;           ///< (n), or one number
    std::int64_t wStep;   ///< 1, or 0
    const T* next;        ///< (n) z of the step after this
    const T *v, *u, *sum; ///< (m); sum = u + v
};

/// Some columns of a forward step: state (n,m) becomes the one after it, y (m) is read of it, and u (m) for the next.
template <int wide, bool own, typename T>
HWY_INLINE void deltaForwardColumns(const DeltaForwardStep<T>& in, HeadMatrix<T> state, std::int64_t keys,
                                    std::int64_t column, T* y, T* u)
{
    const TileLanes<T> d;
    using V = hn::Vec<TileLanes<T>>;
    V read[wide], next[wide], added[wide], removed[wide];
    HWY_UNROLL(4)
    for (int c = 0; c < wide; ++c) {
        read[c] = next[c] = hn::Zero(d);
        added[c] = hn::LoadU(d, (own ? in.sum : in.v) + column + c * kHeadLanes<T>);
        removed[c] = own ? added[c] : hn::LoadU(d, in.u + column + c * kHeadLanes<T>);
    }
    for (std::int64_t i = 0; i < keys; ++i) {
        T* row = state.row(i) + column;
        const V w = hn::Set(d, in.w[i * in.wStep]), k = hn::Set(d, in.k[i]), q = hn::Set(d, in.q[i]);
        const V z = hn::Set(d, in.next[i]), b = own ? k : hn::Set(d, in.b[i]);
        HWY_UNROLL(4)
        for (int c = 0; c < wide; ++c) {
            V s = hn::Mul(w, hn::LoadU(d, row + c * kHeadLanes<T>));
            if constexpr (!own)
                s = hn::MulAdd(b, removed[c], s);
            s = hn::MulAdd(k, added[c], s);
            hn::StoreU(s, d, row + c * kHeadLanes<T>);
            read[c] = hn::MulAdd(q, s, read[c]);
            next[c] = hn::MulAdd(z, s, next[c]);
        }
    }
    HWY_UNROLL(4)
    for (int c = 0; c < wide; ++c) {
        hn::StoreU(read[c], d, y + column + c * kHeadLanes<T>);
        hn::StoreU(next[c], d, u + column + c * kHeadLanes<T>);
    }
}

/// u (m) = state^T z, in the order in which a step makes it for the next.
template <typename T>
HWY_INLINE void deltaFind(HeadMatrix<T> state, const T* z, std::int64_t keys, T* u)
{
    const TileLanes<T> d;
    for (std::int64_t j = 0; j < state.stride; j += kHeadLanes<T>) {
        auto sum = hn::Zero(d);
        for (std::int64_t i = 0; i < keys; ++i)
            sum = hn::MulAdd(hn::Set(d, z[i]), hn::LoadU(d, state.row(i) + j), sum);
        hn::StoreU(sum, d, u + j);
    }
}

template <bool own, typename T>
HWY_INLINE void deltaForward(const DeltaForwardStep<T>& in, HeadMatrix<T> state, std::int64_t keys, T* y, T* u)
{
    eachBlock<kTileVectors, T>(state.stride, [&]<int wide>(std::int64_t column) HWY_ATTR {
        deltaForwardColumns<wide, own>(in, state, keys, column, y, u);
    });
}

/// What a backward step reads, and its gradients; all rows of whole vectors. States lie with a row for each value here.
template <typename T>
struct DeltaBackwardStep {
    T *q, *k, *z, *b, *w; ///< (n); b is k where it is absent
    T *v, *u, *sum;       ///< (m); sum = u + v
    T *y, *toV, *toU;     ///< (m) gradients; of y and of u (arriving) given, those of v and u (whole) made
    T *toQ, *toK, *toZ;   ///< (n) gradients
    T *toB, *toW;         ///< (n) gradients, of each key by itself
};

/// after (m,n) = the state after a step, from the one before it.
template <bool own, typename T>
HWY_INLINE void deltaAgain(const DeltaBackwardStep<T>& in, HeadMatrix<T> before, HeadMatrix<T> after,
                           std::int64_t values)
{
    const TileLanes<T> d;
    eachBlock<kTileVectors, T>(before.stride, [&]<int wide>(std::int64_t key) HWY_ATTR {
        using V = hn::Vec<TileLanes<T>>;
        V w[wide], k[wide], b[wide];
        HWY_UNROLL(4)
        for (int c = 0; c < wide; ++c) {
            w[c] = hn::LoadU(d, in.w + key + c * kHeadLanes<T>);
            k[c] = hn::LoadU(d, in.k + key + c * kHeadLanes<T>);
            b[c] = hn::LoadU(d, in.b + key + c * kHeadLanes<T>);
        }
        for (std::int64_t j = 0; j < values; ++j) {
            const V added = hn::Set(d, own ? in.sum[j] : in.v[j]), removed = hn::Set(d, in.u[j]);
            HWY_UNROLL(4)
            for (int c = 0; c < wide; ++c) {
                V s = hn::Mul(w[c], hn::LoadU(d, before.row(j) + key + c * kHeadLanes<T>));
                if constexpr (!own)
                    s = hn::MulAdd(b[c], removed, s);
                hn::StoreU(hn::MulAdd(k[c], added, s), d, after.row(j) + key + c * kHeadLanes<T>);
            }
        }
    });
}

/// Gradients of v and u: what the state's gradient `carry` (m,n), before this step's y is added, holds under k and b.
template <bool own, typename T>
HWY_INLINE void deltaToValues(const DeltaBackwardStep<T>& in, HeadMatrix<T> carry, std::int64_t values)
{
    const T queriedKey = headDot(in.q, in.k, carry.stride), queriedB = headDot(in.q, in.b, carry.stride);
    for (std::int64_t j = 0; j < values; ++j) {
        in.toV[j] = headDot(carry.row(j), in.k, carry.stride) + in.y[j] * queriedKey;
        in.toU[j] += own ? in.toV[j] : headDot(carry.row(j), in.b, carry.stride) + in.y[j] * queriedB;
    }
}

/// Some keys of a backward step: their gradients but for what y reads of this step's own products, and `carry`, which
/// becomes the gradient of the state before the step.
template <int wide, bool own, typename T>
HWY_INLINE void deltaBackwardKeys(const DeltaBackwardStep<T>& in, HeadMatrix<T> before, HeadMatrix<T> carry,
                                  std::int64_t values, std::int64_t key)
{
    const TileLanes<T> d;
    using V = hn::Vec<TileLanes<T>>;
    V q[wide], w[wide], z[wide], toQ[wide], toK[wide], toZ[wide], toB[wide], toW[wide];
    HWY_UNROLL(2)
    for (int c = 0; c < wide; ++c) {
        q[c] = hn::LoadU(d, in.q + key + c * kHeadLanes<T>);
        w[c] = hn::LoadU(d, in.w + key + c * kHeadLanes<T>);
        z[c] = hn::LoadU(d, in.z + key + c * kHeadLanes<T>);
        toQ[c] = toK[c] = toZ[c] = toB[c] = toW[c] = hn::Zero(d);
    }
    for (std::int64_t j = 0; j < values; ++j) {
        const V y = hn::Set(d, in.y[j]), added = hn::Set(d, own ? in.sum[j] : in.v[j]);
        const V removed = hn::Set(d, in.u[j]), toU = hn::Set(d, in.toU[j]);
        HWY_UNROLL(2)
        for (int c = 0; c < wide; ++c) {
            T* to = carry.row(j) + key + c * kHeadLanes<T>;
            const V state = hn::LoadU(d, before.row(j) + key + c * kHeadLanes<T>);
            const V gradient = hn::MulAdd(q[c], y, hn::LoadU(d, to));
            toQ[c] = hn::MulAdd(state, y, toQ[c]);
            toK[c] = hn::MulAdd(gradient, added, toK[c]);
            if constexpr (!own)
                toB[c] = hn::MulAdd(gradient, removed, toB[c]);
            toZ[c] = hn::MulAdd(state, toU, toZ[c]);
            toW[c] = hn::MulAdd(gradient, state, toW[c]);
            hn::StoreU(hn::MulAdd(z[c], toU, hn::Mul(w[c], gradient)), d, to);
        }
    }
    HWY_UNROLL(2)
    for (int c = 0; c < wide; ++c) {
        const std::int64_t at = key + c * kHeadLanes<T>;
        hn::StoreU(hn::Mul(w[c], toQ[c]), d, in.toQ + at);
        hn::StoreU(toK[c], d, in.toK + at);
        hn::StoreU(toZ[c], d, in.toZ + at);
        hn::StoreU(toB[c], d, in.toB + at);
        hn::StoreU(toW[c], d, in.toW + at);
    }
}

/// One step back from the state before it.
template <bool own, typename T>
HWY_INLINE void deltaBackward(const DeltaBackwardStep<T>& in, HeadMatrix<T> before, HeadMatrix<T> carry,
                              std::int64_t values, std::int64_t valueStride)
{
    const TileLanes<T> d;
    deltaToValues<own>(in, carry, values);
    eachBlock<kTileVectors / 2, T>(carry.stride, [&]<int wide>(std::int64_t key) HWY_ATTR {
        deltaBackwardKeys<wide, own>(in, before, carry, values, key);
    });
    const auto ofKey = hn::Set(d, headDot(own ? in.sum : in.v, in.y, valueStride));
    const auto ofB = hn::Set(d, own ? T(0) : headDot(in.u, in.y, valueStride));
    for (std::int64_t i = 0; i < carry.stride; i += kHeadLanes<T>) {
        auto toQ = hn::MulAdd(ofKey, hn::LoadU(d, in.k + i), hn::LoadU(d, in.toQ + i));
        if constexpr (!own)
            toQ = hn::MulAdd(ofB, hn::LoadU(d, in.b + i), toQ);
        hn::StoreU(toQ, d, in.toQ + i);
    }
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_DELTA_STEP_INL_H
