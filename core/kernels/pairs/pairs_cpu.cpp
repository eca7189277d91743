// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/pairs/pairs_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/pairs/pairs_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

/// Calls body(d, i) for the columns of a range, vector by vector, then one by one: a number is the same either way.
template <typename T, class Body>
HWY_INLINE void forColumns(ColumnRange columns, const Body& body)
{
    const hn::ScalableTag<T> d;
    const hn::CappedTag<T, 1> one;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = columns.begin;
    for (; i + step <= columns.end; i += step)
        body(d, i);
    for (; i < columns.end; ++i)
        body(one, i);
}

template <class D, typename T>
HWY_INLINE hn::Vec<D> scaleAt(D d, const PairedRows<T>& p, std::int64_t i)
{
    return p.scale != nullptr ? hn::LoadU(d, p.scale + i) : hn::Set(d, T{1});
}

template <typename T>
void join(const PairedRows<T>& p, ColumnRange columns, const T* re, const T* im, T* pairs)
{
    for (std::int64_t row = 0; row < p.rows; ++row)
        forColumns<T>(columns, [&](auto d, std::int64_t i) HWY_ATTR {
            const std::int64_t at = row * p.width + i;
            const auto scale = scaleAt(d, p, i);
            hn::StoreInterleaved2(hn::Mul(hn::LoadU(d, re + at), scale), hn::Mul(hn::LoadU(d, im + at), scale), d,
                                  pairs + 2 * at);
        });
}

template <typename T>
void split(const PairedRows<T>& p, ColumnRange columns, const T* pairs, T* re, T* im)
{
    for (std::int64_t row = 0; row < p.rows; ++row)
        forColumns<T>(columns, [&](auto d, std::int64_t i) HWY_ATTR {
            const std::int64_t at = row * p.width + i;
            hn::Vec<decltype(d)> first, second;
            hn::LoadInterleaved2(d, pairs + 2 * at, first, second);
            hn::StoreU(first, d, re + at);
            hn::StoreU(second, d, im + at);
        });
}

template <typename T>
void joinBackward(const PairedRows<T>& p, ColumnRange columns, const JoinedGradients<T>& g)
{
    std::fill(g.dScale + columns.begin, g.dScale + columns.end, T{0});
    for (std::int64_t row = 0; row < p.rows; ++row)
        forColumns<T>(columns, [&](auto d, std::int64_t i) HWY_ATTR {
            const std::int64_t at = row * p.width + i;
            const auto scale = scaleAt(d, p, i);
            hn::Vec<decltype(d)> first, second;
            hn::LoadInterleaved2(d, g.dPairs + 2 * at, first, second);
            hn::StoreU(hn::Mul(first, scale), d, g.dRe + at);
            hn::StoreU(hn::Mul(second, scale), d, g.dIm + at);
            const auto sum = hn::MulAdd(first, hn::LoadU(d, g.re + at), hn::LoadU(d, g.dScale + i));
            hn::StoreU(hn::MulAdd(second, hn::LoadU(d, g.im + at), sum), d, g.dScale + i);
        });
}

void joinFloats(const PairedRows<float>& p, ColumnRange columns, const float* re, const float* im, float* pairs)
{
    join(p, columns, re, im, pairs);
}
void joinDoubles(const PairedRows<double>& p, ColumnRange columns, const double* re, const double* im, double* pairs)
{
    join(p, columns, re, im, pairs);
}
void splitFloats(const PairedRows<float>& p, ColumnRange columns, const float* pairs, float* re, float* im)
{
    split(p, columns, pairs, re, im);
}
void splitDoubles(const PairedRows<double>& p, ColumnRange columns, const double* pairs, double* re, double* im)
{
    split(p, columns, pairs, re, im);
}
void joinBackwardFloats(const PairedRows<float>& p, ColumnRange columns, const JoinedGradients<float>& g)
{
    joinBackward(p, columns, g);
}
void joinBackwardDoubles(const PairedRows<double>& p, ColumnRange columns, const JoinedGradients<double>& g)
{
    joinBackward(p, columns, g);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(joinFloats);
HWY_EXPORT(joinDoubles);
HWY_EXPORT(splitFloats);
HWY_EXPORT(splitDoubles);
HWY_EXPORT(joinBackwardFloats);
HWY_EXPORT(joinBackwardDoubles);

void joinOnCpu(const PairedRows<float>& p, ColumnRange columns, const float* re, const float* im, float* pairs)
{
    HWY_DYNAMIC_DISPATCH(joinFloats)(p, columns, re, im, pairs);
}

void joinOnCpu(const PairedRows<double>& p, ColumnRange columns, const double* re, const double* im, double* pairs)
{
    HWY_DYNAMIC_DISPATCH(joinDoubles)(p, columns, re, im, pairs);
}

void splitOnCpu(const PairedRows<float>& p, ColumnRange columns, const float* pairs, float* re, float* im)
{
    HWY_DYNAMIC_DISPATCH(splitFloats)(p, columns, pairs, re, im);
}

void splitOnCpu(const PairedRows<double>& p, ColumnRange columns, const double* pairs, double* re, double* im)
{
    HWY_DYNAMIC_DISPATCH(splitDoubles)(p, columns, pairs, re, im);
}

void joinBackwardOnCpu(const PairedRows<float>& p, ColumnRange columns, const JoinedGradients<float>& g)
{
    HWY_DYNAMIC_DISPATCH(joinBackwardFloats)(p, columns, g);
}

void joinBackwardOnCpu(const PairedRows<double>& p, ColumnRange columns, const JoinedGradients<double>& g)
{
    HWY_DYNAMIC_DISPATCH(joinBackwardDoubles)(p, columns, g);
}

} // namespace unroll::kernels
#endif
