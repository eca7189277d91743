// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of elements that are real or complex, in SIMD: complex ones lie in pairs of lanes. Included once for each CPU
// target.

#if defined(UNROLL_COMPLEX_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_COMPLEX_LANES_INL_H
#undef UNROLL_COMPLEX_LANES_INL_H
#else
#define UNROLL_COMPLEX_LANES_INL_H
#endif

#include "core/kernels/cpu/walk_steps_inl.h"
#include "core/kernels/scan/complex_pair.h"

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {

/// A row of elements as the real numbers that it is made of: complex ones lie in pairs.
template <typename T>
HWY_INLINE const typename Parts<T>::Real* parts(const T* row)
{
    return reinterpret_cast<const typename Parts<T>::Real*>(row);
}

template <typename T>
HWY_INLINE typename Parts<T>::Real* parts(T* row)
{
    return reinterpret_cast<typename Parts<T>::Real*>(row);
}

template <typename T>
HWY_INLINE ReadRow<typename Parts<T>::Real> parts(const ReadRow<T>& row)
{
    return {parts(row.data), row.ahead * Parts<T>::count};
}

template <typename T>
HWY_INLINE WrittenRow<typename Parts<T>::Real> parts(const WrittenRow<T>& row)
{
    return {parts(row.data), row.streamed};
}

/// A piece of a row, or of the row of a that serves all steps, as real numbers.
template <typename T>
HWY_INLINE auto partsOf(const RowPiece& at, const Rows<T>& rows)
{
    return parts(at.of(rows));
}

#if HWY_TARGET != HWY_SCALAR

/// a * b + c; with pairs, elements are (even lane) + i (odd lane).
template <bool pairs, class D, class V>
HWY_INLINE V multiplyAdd(D d, V a, V b, V c)
{
    if constexpr (!pairs) {
        return hn::MulAdd(a, b, c);
    } else {
        const V crossed = hn::Mul(hn::DupOdd(a), hn::Reverse2(d, b));
        return hn::Add(hn::MulAdd(hn::DupEven(a), b, c), hn::OddEven(crossed, hn::Neg(crossed)));
    }
}

/// conj(a) * b
template <bool pairs, class D, class V>
HWY_INLINE V multiplyConjugate(D d, V a, V b)
{
    if constexpr (!pairs) {
        return hn::Mul(a, b);
    } else {
        const V crossed = hn::Mul(hn::DupOdd(a), hn::Reverse2(d, b));
        return hn::MulAdd(hn::DupEven(a), b, hn::OddEven(hn::Neg(crossed), crossed));
    }
}

/// conj(a) * b + c. Multiplied and added in one where numbers are real: left apart, compilers join them in some loops
/// and not in others.
template <bool pairs, class D, class V>
HWY_INLINE V multiplyConjugateAdd(D d, V a, V b, V c)
{
    if constexpr (!pairs)
        return hn::MulAdd(a, b, c);
    else
        return hn::Add(multiplyConjugate<pairs>(d, a, b), c);
}

#else // lanes hold one number: elements are walked

template <bool pairs, typename R>
using Element = std::conditional_t<pairs, ComplexPair<R>, R>;

template <typename T, typename R>
HWY_INLINE T element(const R* row, std::int64_t j)
{
    return row != nullptr ? reinterpret_cast<const T*>(row)[j] : T(R(0));
}

#endif

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_COMPLEX_LANES_INL_H
