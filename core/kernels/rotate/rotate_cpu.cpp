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
struct Row {
    const T *x, *cos, *sin;
    T* y;
};

template <typename T>
HWY_INLINE void rotateRow(const Row<T>& row, std::int64_t half, T direction)
{
    const hn::ScalableTag<T> d;
    const auto sign = hn::Set(d, direction);
    forLanes(d, half, [&](auto lanes, std::int64_t i) HWY_ATTR {
        const auto first = lanes.load(d, row.x + i), second = lanes.load(d, row.x + half + i);
        const auto cos = lanes.load(d, row.cos + i), sin = hn::Mul(sign, lanes.load(d, row.sin + i));
        lanes.store(d, hn::NegMulAdd(sin, second, hn::Mul(cos, first)), row.y + i);
        lanes.store(d, hn::MulAdd(sin, first, hn::Mul(cos, second)), row.y + half + i);
    });
}

template <typename T>
void rotate(const RotatedHeads<T>& p, std::int64_t begin, std::int64_t end)
{
    const T direction = p.back ? T{-1} : T{1};
    std::int64_t step = begin % p.steps, head = begin / p.steps % p.heads, b = begin / p.steps / p.heads;
    for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t angles = b * p.angleStride + step * p.half;
        rotateRow<T>({p.x + b * p.strides[0] + head * p.strides[1] + step * p.strides[2], p.cos + angles,
                      p.sin + angles, p.y + row * 2 * p.half},
                     p.half, direction);
        if (++step < p.steps)
            continue;
        step = 0;
        if (++head == p.heads) {
            head = 0;
            ++b;
        }
    }
}

void rotateFloats(const RotatedHeads<float>& heads, std::int64_t begin, std::int64_t end)
{
    rotate(heads, begin, end);
}
void rotateDoubles(const RotatedHeads<double>& heads, std::int64_t begin, std::int64_t end)
{
    rotate(heads, begin, end);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(rotateFloats);
HWY_EXPORT(rotateDoubles);

void rotateOnCpu(const RotatedHeads<float>& heads, std::int64_t begin, std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(rotateFloats)(heads, begin, end);
}

void rotateOnCpu(const RotatedHeads<double>& heads, std::int64_t begin, std::int64_t end)
{
    HWY_DYNAMIC_DISPATCH(rotateDoubles)(heads, begin, end);
}

} // namespace unroll::kernels
#endif
