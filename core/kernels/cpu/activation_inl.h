// SPDX-License-Identifier: GPL-3.0-or-later
// Activations with their slopes, on Highway vectors. Included once for each CPU target.

#if defined(UNROLL_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_ACTIVATION_INL_H
#undef UNROLL_ACTIVATION_INL_H
#else
#define UNROLL_ACTIVATION_INL_H
#endif

#include "core/kernels/op/activation.h"
#include "core/kernels/vector_math/vector_math_inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
struct Activated {
    V value;
    V slope; ///< d value / d argument
};

/// What is not used of the result costs nothing: the compiler drops it.
template <Activation activation, class D, class V = hn::Vec<D>>
HWY_INLINE Activated<V> activate(D d, V a)
{
    const V one = hn::Set(d, hn::TFromD<D>{1});
    if constexpr (activation == Activation::Identity) {
        return {a, one};
    } else if constexpr (activation == Activation::Tanh) {
        const V t = tanh(d, a);
        return {t, hn::NegMulAdd(t, t, one)};
    } else if constexpr (activation == Activation::Silu) {
        const auto s = sigmoidGate(d, a);
        const V value = hn::Mul(a, s.open);
        return {value, hn::MulAdd(value, s.shut, s.open)};
    } else {
        static_assert(activation == Activation::Positive);
        const auto s = sigmoidGate(d, a);
        const auto right = hn::Ge(a, hn::Zero(d));
        return {hn::IfThenElse(right, hn::Add(a, hn::Set(d, hn::TFromD<D>{0.5})), s.open),
                hn::IfThenElse(right, one, hn::Mul(s.open, s.shut))};
    }
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_ACTIVATION_INL_H
