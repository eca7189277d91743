// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/rotate/rotate_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/rotate/rotate_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
void rotate(const RotatedRow<T>& row)
{
    const hn::ScalableTag<T> d;
    const auto sign = hn::Set(d, row.back ? T{-1} : T{1});
    forLanes(d, row.half, [&](auto lanes, std::int64_t i) HWY_ATTR {
        const auto first = lanes.load(d, row.x + i), second = lanes.load(d, row.x + row.half + i);
        const auto cos = lanes.load(d, row.cos + i), sin = hn::Mul(sign, lanes.load(d, row.sin + i));
        lanes.store(d, hn::NegMulAdd(sin, second, hn::Mul(cos, first)), row.y + i);
        lanes.store(d, hn::MulAdd(sin, first, hn::Mul(cos, second)), row.y + row.half + i);
    });
}

void rotateFloats(const RotatedRow<float>& row)
{
    rotate(row);
}
void rotateDoubles(const RotatedRow<double>& row)
{
    rotate(row);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(rotateFloats);
HWY_EXPORT(rotateDoubles);

void rotateOnCpu(const RotatedRow<float>& row)
{
    HWY_DYNAMIC_DISPATCH(rotateFloats)(row);
}

void rotateOnCpu(const RotatedRow<double>& row)
{
    HWY_DYNAMIC_DISPATCH(rotateDoubles)(row);
}

} // namespace unroll::kernels
#endif
