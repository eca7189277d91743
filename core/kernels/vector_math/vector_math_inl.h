// SPDX-License-Identifier: GPL-3.0-or-later
// exp, sigmoid, silu and tanh on Highway vectors of float or double, for kernels. Included once for each CPU target.
//
// Largest errors, in units of the last place of the exact result (measured over the whole range by vector_math_test.cpp, on targets
// with and without fused multiply-add):
//     exp 2, sigmoid 3, silu 4, tanh 4
// Results below the smallest normal number m (1.2e-38 or 2.2e-308) are not resolved: exp and sigmoid are within m of the exact value there,
// silu within m |x|. NaN goes through; infinities give the limits, except silu(-inf), which is -inf.

#if defined(UNROLL_VECTOR_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_VECTOR_MATH_INL_H
#undef UNROLL_VECTOR_MATH_INL_H
#else
#define UNROLL_VECTOR_MATH_INL_H
#endif

#include "core/kernels/vector_math/vector_math_constants.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// 2^n for an integer n (held as a float) within the exponents of normal numbers.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V powerOfTwo(D d, V n)
{
    using Constants = ExpConstants<hn::TFromD<D>>;
    const hn::RebindToSigned<D> bits;
    const auto lowBits = hn::BitCast(bits, hn::Add(n, hn::Set(d, Constants::roundMagic)));
    const auto one = hn::BitCast(bits, hn::Set(d, hn::TFromD<D>{1}));
    return hn::BitCast(d, hn::Add(hn::ShiftLeft<Constants::mantissaBits>(lowBits), one));
}

/// exp(x) = (1 + expm1) * 2^n.
template <class V>
struct ReducedExp {
    V expm1;
    V n;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE ReducedExp<V> reduceExp(D d, V x)
{
    using Constants = ExpConstants<hn::TFromD<D>>;
    const V magic = hn::Set(d, Constants::roundMagic);
    const V n = hn::Sub(hn::MulAdd(x, hn::Set(d, Constants::log2e), magic), magic);
    V r = hn::NegMulAdd(n, hn::Set(d, Constants::ln2High), x);
    r = hn::NegMulAdd(n, hn::Set(d, Constants::ln2Low), r);
    constexpr int terms = static_cast<int>(sizeof(Constants::tail) / sizeof(Constants::tail[0]));
    V poly = hn::Set(d, Constants::tail[terms - 1]);
    for (int i = terms - 2; i >= 0; --i)
        poly = hn::MulAdd(poly, r, hn::Set(d, Constants::tail[i]));
    return {hn::MulAdd(hn::Mul(r, r), poly, r), n};
}

/// max(x, limit), but NaN stays NaN on every target (Max may drop it).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V notBelow(D d, V x, hn::TFromD<D> limit)
{
    const V lowest = hn::Set(d, limit);
    return hn::IfThenElse(hn::Lt(x, lowest), lowest, x);
}

/// exp(x) for x <= 0; never less than the smallest normal number.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expNonPositive(D d, V x)
{
    const auto parts = reduceExp(d, notBelow(d, x, ExpConstants<hn::TFromD<D>>::smallestArgument));
    const V scale = powerOfTwo(d, parts.n);
    return hn::MulAdd(parts.expm1, scale, scale);
}

/// exp(x) for every x: 0 below the normal numbers, +inf above. The last half octave before overflow has an exponent too large for one
/// scale, so the scale is split there.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x)
{
    using Constants = ExpConstants<hn::TFromD<D>>;
    const V low = hn::Set(d, Constants::smallestArgument);
    const V high = hn::Set(d, Constants::largestArgument);
    const auto parts = reduceExp(d, notBelow(d, hn::IfThenElse(hn::Gt(x, high), high, x), Constants::smallestArgument));
    const V top = hn::Set(d, Constants::largestExponent);
    const V capped = hn::IfThenElse(hn::Gt(parts.n, top), top, parts.n);
    const V scale = powerOfTwo(d, capped);
    const V value = hn::Mul(hn::MulAdd(parts.expm1, scale, scale), powerOfTwo(d, hn::Sub(parts.n, capped)));
    return hn::IfThenZeroElse(hn::Lt(x, low), value);
}

/// sigmoid(x) and 1 - sigmoid(x), each with full relative accuracy: a gate near 1 still leaks by the right small amount.
template <class V>
struct Gate {
    V open;
    V shut;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE Gate<V> sigmoidGate(D d, V x)
{
    const V one = hn::Set(d, hn::TFromD<D>{1});
    const V e = expNonPositive(d, hn::Neg(hn::Abs(x)));
    const V large = hn::Div(one, hn::Add(one, e));
    const V small = hn::Mul(e, large);
    return {hn::IfNegativeThenElse(x, small, large), hn::IfNegativeThenElse(x, large, small)};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x)
{
    const V one = hn::Set(d, hn::TFromD<D>{1});
    const V e = expNonPositive(d, hn::Neg(hn::Abs(x)));
    return hn::Div(hn::IfNegativeThenElse(x, e, one), hn::Add(one, e));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu(D d, V x)
{
    return hn::Mul(x, sigmoid(d, x));
}

/// tanh(|x|) = -m / (2 + m) with m = expm1(-2|x|), accurate near 0 because m is.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x)
{
    using T = hn::TFromD<D>;
    const V doubled = hn::Mul(hn::Abs(x), hn::Set(d, T{-2}));
    const auto parts = reduceExp(d, notBelow(d, doubled, ExpConstants<T>::smallestArgument));
    const V scale = powerOfTwo(d, parts.n);
    const V m = hn::MulAdd(parts.expm1, scale, hn::Sub(scale, hn::Set(d, T{1})));
    return hn::CopySign(hn::Div(m, hn::Add(hn::Set(d, T{2}), m)), x);
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_VECTOR_MATH_INL_H
