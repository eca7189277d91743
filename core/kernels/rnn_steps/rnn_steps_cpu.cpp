// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/rnn_steps/rnn_steps_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/rnn_steps/rnn_steps_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cpu/step_rows_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

template <RnnActivation activation, class D, class V = hn::Vec<D>>
HWY_INLINE V activated(D d, V a)
{
    if constexpr (activation == RnnActivation::Tanh)
        return tanh(d, a);
    return hn::IfThenZeroElse(hn::Lt(a, hn::Zero(d)), a); // NaN is not less
}

template <RnnActivation activation, typename T>
HWY_INLINE void activateRow(const T* sums, T* h, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        lanes.store(d, activated<activation>(d, lanes.load(d, sums + j)), h + j);
    });
}

template <RnnActivation activation, typename T>
void scanWith(const RnnStepsForward<T, T>& scan, Sequences some)
{
    ScratchRows<T> sums(some.count, scan.width);
    StepRows<const T> before = some.of(scan.initial, 0);
    for (std::int64_t position = 0; position < scan.steps; ++position) {
        const WalkStep walk = scan.at(position);
        const StepRows<T> h = some.of(scan.h, walk.step);
        addProductTo(some.of(scan.u, walk.step), before, some.count, scan.weight, sums.rows());
        for (std::int64_t b = 0; b < some.count; ++b)
            if (some.real(scan, walk, b))
                activateRow<activation>(sums.row(b), h.row(b), scan.width);
            else
                copyRowOrZero(before.rowOrNull(b), h.row(b), scan.width);
        before = h;
    }
    copyRowsOrZero(before, some.count, some.of(scan.last, 0), scan.width);
}

/// d act(a) / d a where h = act(a).
template <RnnActivation activation, class D, class V = hn::Vec<D>>
HWY_INLINE V slopeAt(D d, V h)
{
    const V one = hn::Set(d, hn::TFromD<D>{1});
    if constexpr (activation == RnnActivation::Tanh)
        return hn::NegMulAdd(h, h, one);
    return hn::IfThenElseZero(hn::Gt(h, hn::Zero(d)), one);
}

/// The gradient of the sums, from that of the state: `carry`, which is used up, and `gradH`, nullptr: zeros.
template <RnnActivation activation, typename T>
HWY_INLINE void backwardRow(const T* h, const T* gradH, T* carry, T* gradU, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto gradState = hn::Add(lanes.load(d, carry + j), loadOrZero(d, lanes, gradH, j));
        lanes.store(d, hn::Mul(gradState, slopeAt<activation>(d, lanes.load(d, h + j))), gradU + j);
        lanes.store(d, hn::Zero(d), carry + j);
    });
}

/// A masked step: the state went through.
template <typename T>
HWY_INLINE void backwardHeldRow(const T* gradH, T* carry, T* gradU, std::int64_t count)
{
    zeroRow(gradU, count);
    if (gradH != nullptr)
        addRow(gradH, carry, count);
}

template <RnnActivation activation, typename T>
void scanWith(const RnnStepsBackward<T, T>& scan, Sequences some)
{
    ScratchRows<T> carry(some.count, scan.width);
    copyRowsOrZero(some.of(scan.gradLast, 0), some.count, carry.rows(), scan.width);
    for (std::int64_t position = scan.steps - 1; position >= 0; --position) {
        const WalkStep walk = scan.at(position);
        const StepRows<const T> h = some.of(scan.h, walk.step), gradH = some.of(scan.gradH, walk.step);
        const StepRows<T> gradU = some.of(scan.gradU, walk.step);
        for (std::int64_t b = 0; b < some.count; ++b)
            if (some.real(scan, walk, b))
                backwardRow<activation>(h.row(b), gradH.rowOrNull(b), carry.row(b), gradU.row(b), scan.width);
            else
                backwardHeldRow(gradH.rowOrNull(b), carry.row(b), gradU.row(b), scan.width);
        addProduct(gradU, some.count, scan.weight, carry.rows());
    }
    copyRowsOrZero(carry.rows(), some.count, some.of(scan.gradInitial, 0), scan.width);
}

void scanAny(const RnnStepsPass& pass, ColumnRange sequences)
{
    scanSequences(pass, sequences, [](const auto& scan, Sequences some) HWY_ATTR {
        scan.activation == RnnActivation::Tanh ? scanWith<RnnActivation::Tanh>(scan, some)
                                               : scanWith<RnnActivation::Relu>(scan, some);
    });
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(RnnStepsPass)
#endif
