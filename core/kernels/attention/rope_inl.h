// SPDX-License-Identifier: GPL-3.0-or-later
// One row of features turned. Included once for each CPU target.

#if defined(UNROLL_ROTATE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_ROTATE_INL_H
#undef UNROLL_ROTATE_INL_H
#else
#define UNROLL_ROTATE_INL_H
#endif

#include "core/kernels/cpu/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {

template <typename T>
struct RotatedRow {
    const T *x, *cos, *sin;
    T* y;
};

/// Features i and i + half by the angle i, for i < half; direction 1, or -1 for back.
template <typename T>
HWY_INLINE void rotateRow(const RotatedRow<T>& row, std::int64_t half, T direction)
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

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_ROTATE_INL_H
