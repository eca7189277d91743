// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/activate/activate_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/activate/activate_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/lanes_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

template <ElementFunction function, class D, class V = hn::Vec<D>>
HWY_INLINE V valueAt(D d, V x)
{
    if constexpr (function == ElementFunction::Sigmoid)
        return sigmoid(d, x);
    else if constexpr (function == ElementFunction::Tanh)
        return tanh(d, x);
    else if constexpr (function == ElementFunction::Silu)
        return silu(d, x);
    else
        return gelu(d, x);
}

template <ElementFunction function, class D, class V = hn::Vec<D>>
HWY_INLINE V slopeAt(D d, V kept)
{
    if constexpr (function == ElementFunction::Sigmoid) {
        return hn::NegMulAdd(kept, kept, kept);
    } else if constexpr (function == ElementFunction::Tanh) {
        return hn::NegMulAdd(kept, kept, hn::Set(d, hn::TFromD<D>{1}));
    } else if constexpr (function == ElementFunction::Silu) {
        const auto s = sigmoidGate(d, kept);
        return hn::MulAdd(hn::Mul(kept, s.open), s.shut, s.open);
    } else {
        const auto n = normal(d, kept);
        return hn::MulAdd(n.x, n.density, n.below);
    }
}

template <ElementFunction function, typename T>
void values(const T* x, T* y, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t i) HWY_ATTR {
        lanes.store(d, valueAt<function>(d, lanes.load(d, x + i)), y + i);
    });
}

template <ElementFunction function, typename T>
void gradients(const T* dy, const T* kept, T* dx, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t i) HWY_ATTR {
        const auto slope = slopeAt<function>(d, lanes.load(d, kept + i));
        lanes.store(d, hn::Mul(lanes.load(d, dy + i), slope), dx + i);
    });
}

template <typename T>
void allValues(ElementFunction function, const T* x, T* y, std::int64_t count)
{
    switch (function) {
    case ElementFunction::Sigmoid: return values<ElementFunction::Sigmoid>(x, y, count);
    case ElementFunction::Tanh: return values<ElementFunction::Tanh>(x, y, count);
    case ElementFunction::Silu: return values<ElementFunction::Silu>(x, y, count);
    case ElementFunction::Gelu: return values<ElementFunction::Gelu>(x, y, count);
    }
}

template <typename T>
void allGradients(ElementFunction function, const T* dy, const T* kept, T* dx, std::int64_t count)
{
    switch (function) {
    case ElementFunction::Sigmoid: return gradients<ElementFunction::Sigmoid>(dy, kept, dx, count);
    case ElementFunction::Tanh: return gradients<ElementFunction::Tanh>(dy, kept, dx, count);
    case ElementFunction::Silu: return gradients<ElementFunction::Silu>(dy, kept, dx, count);
    case ElementFunction::Gelu: return gradients<ElementFunction::Gelu>(dy, kept, dx, count);
    }
}

void valuesOfFloats(ElementFunction function, const float* x, float* y, std::int64_t count)
{
    allValues(function, x, y, count);
}
void valuesOfDoubles(ElementFunction function, const double* x, double* y, std::int64_t count)
{
    allValues(function, x, y, count);
}
void gradientsOfFloats(ElementFunction function, const float* dy, const float* kept, float* dx, std::int64_t count)
{
    allGradients(function, dy, kept, dx, count);
}
void gradientsOfDoubles(ElementFunction function, const double* dy, const double* kept, double* dx, std::int64_t count)
{
    allGradients(function, dy, kept, dx, count);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(valuesOfFloats);
HWY_EXPORT(valuesOfDoubles);
HWY_EXPORT(gradientsOfFloats);
HWY_EXPORT(gradientsOfDoubles);

void activateOnCpu(ElementFunction function, const float* x, float* y, std::int64_t count)
{
    HWY_DYNAMIC_DISPATCH(valuesOfFloats)(function, x, y, count);
}

void activateOnCpu(ElementFunction function, const double* x, double* y, std::int64_t count)
{
    HWY_DYNAMIC_DISPATCH(valuesOfDoubles)(function, x, y, count);
}

void activateBackwardOnCpu(ElementFunction function, const float* dy, const float* kept, float* dx, std::int64_t count)
{
    HWY_DYNAMIC_DISPATCH(gradientsOfFloats)(function, dy, kept, dx, count);
}

void activateBackwardOnCpu(ElementFunction function, const double* dy, const double* kept, double* dx,
                           std::int64_t count)
{
    HWY_DYNAMIC_DISPATCH(gradientsOfDoubles)(function, dy, kept, dx, count);
}

} // namespace unroll::kernels
#endif
