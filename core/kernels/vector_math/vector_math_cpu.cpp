// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/vector_math/vector_math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/vector_math/vector_math_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cpu/lanes_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

template <class D, class V = hn::Vec<D>>
HWY_INLINE V evaluate(D d, VectorFunction function, V x)
{
    switch (function) {
    case VectorFunction::Exp: return exp(d, x);
    case VectorFunction::Sigmoid: return sigmoid(d, x);
    case VectorFunction::SigmoidComplement: return sigmoidGate(d, x).shut;
    case VectorFunction::Silu: return silu(d, x);
    case VectorFunction::Tanh: return tanh(d, x);
    }
    return hn::Zero(d);
}

template <typename T>
void applyTo(VectorFunction function, const T* in, T* out, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t i) HWY_ATTR {
        lanes.store(d, evaluate(d, function, lanes.load(d, in + i)), out + i);
    });
}

void applyFloat(VectorFunction function, const float* in, float* out, std::int64_t count)
{
    applyTo(function, in, out, count);
}
void applyDouble(VectorFunction function, const double* in, double* out, std::int64_t count)
{
    applyTo(function, in, out, count);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(applyFloat);
HWY_EXPORT(applyDouble);

void applyVectorFunction(VectorFunction function, const float* in, float* out, std::int64_t count)
{
    HWY_DYNAMIC_DISPATCH(applyFloat)(function, in, out, count);
}

void applyVectorFunction(VectorFunction function, const double* in, double* out, std::int64_t count)
{
    HWY_DYNAMIC_DISPATCH(applyDouble)(function, in, out, count);
}

} // namespace unroll::kernels
#endif
