// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/rotate/rotate_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/rotate/rotate_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/rotate/rotate_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

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
