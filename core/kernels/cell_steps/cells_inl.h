// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of cell_steps, a vector of units at a time: a step, and what its gradients are. `a` are the sums of the
// gates, `before` and `after` the state's parts, `on` the gradients that arrive on those after the step; backward()
// gives the gradients of the sums and of the parts before the step, without what goes through the product. Included
// once for each CPU target.

#if defined(UNROLL_CELLS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_CELLS_INL_H
#undef UNROLL_CELLS_INL_H
#else
#define UNROLL_CELLS_INL_H
#endif

#include "core/kernels/vector_math/vector_math_inl.h"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {

template <class D, class V = hn::Vec<D>>
HWY_INLINE V one(D d)
{
    return hn::Set(d, hn::TFromD<D>{1});
}

/// 1 - y²
template <class D, class V = hn::Vec<D>>
HWY_INLINE V slopeOfTanh(D d, V y)
{
    return hn::NegMulAdd(y, y, one(d));
}

/// s(a) (1 - s(a))
template <class V>
HWY_INLINE V slopeOfGate(Gate<V> gate)
{
    return hn::Mul(gate.open, gate.shut);
}

/// tanh(a) or max(a, 0), and its derivative by its value.
template <bool isTanh>
struct Activation {
    template <class D, class V = hn::Vec<D>>
    static HWY_INLINE V at(D d, V a)
    {
        if constexpr (isTanh)
            return tanh(d, a);
        return hn::IfThenZeroElse(hn::Lt(a, hn::Zero(d)), a); // NaN is not less
    }
    template <class D, class V = hn::Vec<D>>
    static HWY_INLINE V slope(D d, V y)
    {
        if constexpr (isTanh)
            return slopeOfTanh(d, y);
        return hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), one(d));
    }
};

/// h = act(a)
template <bool isTanh>
struct ElmanCell {
    template <class D, class V>
    static HWY_INLINE void forward(D d, V, const V (&a)[1], const V (&)[1], V (&after)[1])
    {
        after[0] = Activation<isTanh>::at(d, a[0]);
    }
    template <class D, class V>
    static HWY_INLINE void backward(D d, V, const V (&)[1], const V (&)[1], const V (&after)[1], const V (&on)[1],
                                    V (&sums)[1], V (&parts)[1])
    {
        sums[0] = hn::Mul(on[0], Activation<isTanh>::slope(d, after[0]));
        parts[0] = hn::Zero(d);
    }
};

/// Gates i f g o, parts h c.
struct LstmCell {
    template <class D, class V>
    static HWY_INLINE void forward(D d, V, const V (&a)[4], const V (&before)[2], V (&after)[2])
    {
        const V written = hn::Mul(sigmoid(d, a[0]), tanh(d, a[2]));
        after[1] = hn::MulAdd(sigmoid(d, a[1]), before[1], written);
        after[0] = hn::Mul(sigmoid(d, a[3]), tanh(d, after[1]));
    }
    template <class D, class V>
    static HWY_INLINE void backward(D d, V, const V (&a)[4], const V (&before)[2], const V (&after)[2],
                                    const V (&on)[2], V (&sums)[4], V (&parts)[2])
    {
        const auto i = sigmoidGate(d, a[0]), f = sigmoidGate(d, a[1]), o = sigmoidGate(d, a[3]);
        const V g = tanh(d, a[2]), shown = tanh(d, after[1]);
        const V onC = hn::MulAdd(hn::Mul(on[0], o.open), slopeOfTanh(d, shown), on[1]);
        sums[0] = hn::Mul(hn::Mul(onC, g), slopeOfGate(i));
        sums[1] = hn::Mul(hn::Mul(onC, before[1]), slopeOfGate(f));
        sums[2] = hn::Mul(hn::Mul(onC, i.open), slopeOfTanh(d, g));
        sums[3] = hn::Mul(hn::Mul(on[0], shown), slopeOfGate(o));
        parts[0] = hn::Zero(d);
        parts[1] = hn::Mul(onC, f.open);
    }
};

/// Gates f g: h = s(f) h + s(beta - f) tanh(g).
struct JanetCell {
    template <class D, class V>
    static HWY_INLINE void forward(D d, V beta, const V (&a)[2], const V (&before)[1], V (&after)[1])
    {
        const V written = hn::Mul(sigmoid(d, hn::Sub(beta, a[0])), tanh(d, a[1]));
        after[0] = hn::MulAdd(sigmoid(d, a[0]), before[0], written);
    }
    template <class D, class V>
    static HWY_INLINE void backward(D d, V beta, const V (&a)[2], const V (&before)[1], const V (&)[1],
                                    const V (&on)[1], V (&sums)[2], V (&parts)[1])
    {
        const auto f = sigmoidGate(d, a[0]), i = sigmoidGate(d, hn::Sub(beta, a[0]));
        const V g = tanh(d, a[1]);
        const V kept = hn::Mul(before[0], slopeOfGate(f));
        sums[0] = hn::Mul(on[0], hn::NegMulAdd(g, slopeOfGate(i), kept));
        sums[1] = hn::Mul(hn::Mul(on[0], i.open), slopeOfTanh(d, g));
        parts[0] = hn::Mul(on[0], f.open);
    }
};

/// Gates c z: h = s(z) h + (1 - s(z)) act(c).
template <bool isTanh>
struct LiGruCell {
    template <class D, class V>
    static HWY_INLINE void forward(D d, V, const V (&a)[2], const V (&before)[1], V (&after)[1])
    {
        const auto z = sigmoidGate(d, a[1]);
        after[0] = hn::MulAdd(z.open, before[0], hn::Mul(z.shut, Activation<isTanh>::at(d, a[0])));
    }
    template <class D, class V>
    static HWY_INLINE void backward(D d, V, const V (&a)[2], const V (&before)[1], const V (&)[1], const V (&on)[1],
                                    V (&sums)[2], V (&parts)[1])
    {
        const auto z = sigmoidGate(d, a[1]);
        const V c = Activation<isTanh>::at(d, a[0]);
        sums[0] = hn::Mul(hn::Mul(on[0], z.shut), Activation<isTanh>::slope(d, c));
        sums[1] = hn::Mul(hn::Mul(on[0], hn::Sub(before[0], c)), slopeOfGate(z));
        parts[0] = hn::Mul(on[0], z.open);
    }
};

/// ln s(x) = min(x, 0) - ln(1 + exp(-|x|))
template <class D, class V = hn::Vec<D>>
HWY_INLINE V logSigmoid(D d, V x)
{
    const V least = hn::IfThenElse(hn::Gt(x, hn::Zero(d)), hn::Zero(d), x); // NaN is not greater
    return hn::Sub(least, hn::Log1p(d, exp(d, hn::Neg(hn::Abs(x)))));
}

/// Gates i f z o, parts h c n m. c and n are scaled by exp(-m), so that no exponential leaves the type's range:
///     m_t = max(ln f + m, ĩ), and ĩ where n is still 0     c_t = f c + i z     n_t = f |n| + i     h_t = o c_t / n_t
/// with i = exp(ĩ - m_t) and f = exp(ln f + m - m_t).
template <bool isExponential>
struct SlstmCell {
    template <class V>
    struct Gates {
        V held, kept, m, i, f, z, c, n; ///< held: |n| before; kept: ln f + m
    };

    template <class D, class V>
    static HWY_INLINE Gates<V> gates(D d, const V (&a)[4], const V (&before)[4])
    {
        const V zero = hn::Zero(d);
        Gates<V> g;
        g.held = hn::Abs(before[2]);
        g.kept = hn::Add(isExponential ? a[1] : logSigmoid(d, a[1]), before[3]);
        g.m = hn::IfThenElse(hn::Or(hn::Eq(g.held, zero), hn::Lt(g.kept, a[0])), a[0], g.kept);
        g.i = exp(d, hn::Sub(a[0], g.m));
        const V past = hn::Sub(g.kept, g.m);
        g.f = exp(d, hn::IfThenElse(hn::Gt(past, zero), zero, past));
        g.z = tanh(d, a[2]);
        g.c = hn::MulAdd(g.f, before[1], hn::Mul(g.i, g.z));
        g.n = hn::MulAdd(g.f, g.held, g.i);
        return g;
    }

    template <class D, class V>
    static HWY_INLINE void forward(D d, V, const V (&a)[4], const V (&before)[4], V (&after)[4])
    {
        const Gates<V> g = gates(d, a, before);
        after[0] = hn::Mul(sigmoid(d, a[3]), hn::Div(g.c, g.n));
        after[1] = g.c;
        after[2] = g.n;
        after[3] = g.m;
    }

    template <class D, class V>
    static HWY_INLINE void backward(D d, V, const V (&a)[4], const V (&before)[4], const V (&)[4], const V (&on)[4],
                                    V (&sums)[4], V (&parts)[4])
    {
        const V zero = hn::Zero(d);
        const Gates<V> g = gates(d, a, before);
        const auto o = sigmoidGate(d, a[3]);
        const V mean = hn::Div(g.c, g.n), onMean = hn::Div(hn::Mul(on[0], o.open), g.n);
        const V onC = hn::Add(on[1], onMean), onN = hn::NegMulAdd(onMean, mean, on[2]);
        const V onI = hn::Mul(hn::MulAdd(onC, g.z, onN), g.i);
        const V throughF = hn::Mul(hn::MulAdd(onC, before[1], hn::Mul(onN, g.held)), g.f);
        const V onF = hn::IfThenZeroElse(hn::Gt(g.kept, g.m), throughF);
        const V onM = hn::Sub(on[3], hn::Add(onI, onF));
        // m is ĩ or what is kept: its gradient goes there, where both are equal half to each.
        const V half = hn::Mul(onM, hn::Set(d, hn::TFromD<D>{0.5}));
        const V shared = hn::IfThenElse(hn::Lt(g.kept, a[0]), zero, hn::IfThenElse(hn::Eq(g.kept, a[0]), half, onM));
        const V toKept = hn::IfThenZeroElse(hn::Eq(g.held, zero), shared);
        const V onKept = hn::Add(onF, toKept);
        sums[0] = hn::Add(onI, hn::Sub(onM, toKept));
        sums[1] = isExponential ? onKept : hn::Mul(onKept, sigmoid(d, hn::Neg(a[1])));
        sums[2] = hn::Mul(hn::Mul(onC, g.i), slopeOfTanh(d, g.z));
        sums[3] = hn::Mul(hn::Mul(on[0], mean), slopeOfGate(o));
        parts[0] = zero;
        parts[1] = hn::Mul(onC, g.f);
        // The derivative of |n| is its sign, at 0 none.
        parts[2] =
            hn::IfThenZeroElse(hn::Eq(g.held, zero), hn::Xor(hn::Mul(onN, g.f), hn::And(before[2], hn::SignBit(d))));
        parts[3] = onKept;
    }
};

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_CELLS_INL_H
