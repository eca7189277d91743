// SPDX-License-Identifier: GPL-3.0-or-later
// exp, sigmoid, silu and tanh on Highway vectors of float or double, for kernels. Included once for each CPU target.
//
// Largest errors, in units of the last place of the exact result, on targets with and without fused multiply-add
// (docs/numerics.md: measured over all floats):
//     exp 2, sigmoid 3, silu 4, tanh 4
// Results below the smallest normal number m (1.2e-38 or 2.2e-308) are not resolved: exp and sigmoid are within m of
// the exact value there, silu within m |x|. NaN goes through; infinities give the limits, except silu(-inf), which is
// -inf. Highway's own Exp (contrib/math) does not serve: it makes 0 of NaN, and a gate must not hide one.

#if defined(UNROLL_VECTOR_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_VECTOR_MATH_INL_H
#undef UNROLL_VECTOR_MATH_INL_H
#else
#define UNROLL_VECTOR_MATH_INL_H
#endif

#include "core/kernels/vector_math/vector_math_constants.h"

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// max(x, low) and min(x, high) that let NaN through. Intel's max and min return their second operand then; elsewhere a
/// comparison does it.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#define UNROLL_MAX_KEEPS_SECOND 1
#else
#define UNROLL_MAX_KEEPS_SECOND 0
#endif

template <class D, class V = hn::Vec<D>>
HWY_INLINE V notBelow(D d, V x, hn::TFromD<D> low)
{
    const V limit = hn::Set(d, low);
    return UNROLL_MAX_KEEPS_SECOND ? hn::Max(limit, x) : hn::IfThenElse(hn::Lt(x, limit), limit, x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V notAbove(D d, V x, hn::TFromD<D> high)
{
    const V limit = hn::Set(d, high);
    return UNROLL_MAX_KEEPS_SECOND ? hn::Min(limit, x) : hn::IfThenElse(hn::Gt(x, limit), limit, x);
}

/// exp(x) = (1 + expm1) * 2^n. `shifted` is n + roundMagic, so n sits in its low bits.
template <class V>
struct ReducedExp {
    V expm1;
    V shifted;
};

/// x as n ln 2 + rest.
template <class V>
struct ExpArgument {
    V rest;
    V shifted;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE ExpArgument<V> reduced(D d, V x)
{
    using Constants = ExpConstants<hn::TFromD<D>>;
    const V magic = hn::Set(d, Constants::roundMagic);
    const V shifted = hn::MulAdd(x, hn::Set(d, Constants::log2e), magic);
    const V n = hn::Sub(shifted, magic);
    const V r = hn::NegMulAdd(n, hn::Set(d, Constants::ln2High), x);
    return {hn::NegMulAdd(n, hn::Set(d, Constants::ln2Low), r), shifted};
}

/// c[0] + c[1] x + c[2] x² and so on.
template <class D, std::size_t terms, class V = hn::Vec<D>>
HWY_INLINE V polynomial(D d, V x, const hn::TFromD<D> (&c)[terms])
{
    V sum = hn::Set(d, c[terms - 1]);
    for (std::size_t i = terms - 1; i-- > 0;)
        sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
    return sum;
}

/// exp(r) - 1 of what is left of an argument.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1OfRest(D d, V r)
{
    return hn::MulAdd(hn::Mul(r, r), polynomial(d, r, ExpConstants<hn::TFromD<D>>::tail), r);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE ReducedExp<V> reduceExp(D d, V x)
{
    const auto argument = reduced(d, x);
    return {expm1OfRest(d, argument.rest), argument.shifted};
}

/// 2^n of a ReducedExp; n within the exponents of normal numbers.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V powerOfTwo(D d, V shifted)
{
    const hn::RebindToSigned<D> bits;
    const auto one = hn::BitCast(bits, hn::Set(d, hn::TFromD<D>{1}));
    const auto exponent = hn::ShiftLeft<ExpConstants<hn::TFromD<D>>::mantissaBits>(hn::BitCast(bits, shifted));
    return hn::BitCast(d, hn::Add(exponent, one));
}

/// exp(x) for x between smallestArgument and largestArgument - 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expWithinRange(D d, V x)
{
    const auto parts = reduceExp(d, x);
    const V scale = powerOfTwo(d, parts.shifted);
    return hn::MulAdd(parts.expm1, scale, scale);
}

/// exp(x) for every x: 0 below the normal numbers, +inf above. The last half octave before overflow has an exponent too
/// large for one scale, so the scale is split there.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x)
{
    using Constants = ExpConstants<hn::TFromD<D>>;
    const auto limited = notBelow(d, notAbove(d, x, Constants::largestArgument), Constants::smallestArgument);
    const auto parts = reduceExp(d, limited);
    const V capped = notAbove(d, parts.shifted, Constants::roundMagic + Constants::largestExponent);
    const V rest = hn::Add(hn::Sub(parts.shifted, capped), hn::Set(d, Constants::roundMagic));
    const V scale = powerOfTwo(d, capped);
    const V value = hn::Mul(hn::MulAdd(parts.expm1, scale, scale), powerOfTwo(d, rest));
    return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, Constants::smallestArgument)), value);
}

/// exp(x) limited to normal numbers whose reciprocals are normal too: what a sigmoid needs.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expForSigmoid(D d, V x)
{
    constexpr auto low = ExpConstants<hn::TFromD<D>>::smallestArgument;
    return expWithinRange(d, notBelow(d, notAbove(d, x, -low), low));
}

/// sigmoid(x) and 1 - sigmoid(x), each with full relative accuracy: a gate near 1 still leaks by the right small
/// amount, and the larger of the two is rounded once, so that an open gate holds its state over thousands of steps.
template <class V>
struct Gate {
    V open;
    V shut;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE Gate<V> sigmoidGate(D d, V x)
{
    const V one = hn::Set(d, hn::TFromD<D>{1});
    const V belowZero = hn::Or(hn::SignBit(d), x);
    const V e = expWithinRange(d, notBelow(d, belowZero, ExpConstants<hn::TFromD<D>>::smallestArgument));
    const V larger = hn::Div(one, hn::Add(one, e));
    const V smaller = hn::Mul(e, larger);
    return {hn::IfNegativeThenElse(x, smaller, larger), hn::IfNegativeThenElse(x, larger, smaller)};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x)
{
    const V e = expForSigmoid(d, x);
    return hn::Div(e, hn::Add(hn::Set(d, hn::TFromD<D>{1}), e));
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
    const V scale = powerOfTwo(d, parts.shifted);
    const V m = hn::MulAdd(parts.expm1, scale, hn::Sub(scale, hn::Set(d, T{1})));
    return hn::CopySign(hn::Div(m, hn::Add(hn::Set(d, T{2}), m)), x);
}

#undef UNROLL_MAX_KEEPS_SECOND

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_VECTOR_MATH_INL_H
