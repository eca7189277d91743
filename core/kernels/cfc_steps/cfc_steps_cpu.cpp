// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/cfc_steps/cfc_steps_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/cfc_steps/cfc_steps_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cpu/step_rows_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// What an activation gives, and its derivative.
template <class V>
struct Activated {
    V value, slope;
};

template <CfcActivation kind, class D, class V = hn::Vec<D>>
HWY_INLINE Activated<V> activated(D d, V a)
{
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T{1});
    if constexpr (kind == CfcActivation::LecunTanh) {
        const V y = tanh(d, hn::Mul(a, hn::Set(d, static_cast<T>(0.666))));
        const V slope = hn::Mul(hn::NegMulAdd(y, y, one), hn::Set(d, static_cast<T>(1.7159 * 0.666)));
        return {hn::Mul(y, hn::Set(d, static_cast<T>(1.7159))), slope};
    } else if constexpr (kind == CfcActivation::Tanh) {
        const V y = tanh(d, a);
        return {y, hn::NegMulAdd(y, y, one)};
    } else if constexpr (kind == CfcActivation::Relu) {
        const V zero = hn::Zero(d);
        return {hn::IfThenZeroElse(hn::Lt(a, zero), a), hn::IfThenElseZero(hn::Gt(a, zero), one)}; // NaN is not less
    } else {
        const auto gate = sigmoidGate(d, a);
        const V y = hn::Mul(a, gate.open);
        return {y, hn::MulAdd(y, gate.shut, gate.open)};
    }
}

template <CfcActivation kind, typename T>
HWY_INLINE void activateRow(const T* sums, T* features, std::int64_t columns)
{
    const hn::ScalableTag<T> d;
    forLanes(d, columns, [&](auto lanes, std::int64_t j) HWY_ATTR {
        lanes.store(d, activated<kind>(d, lanes.load(d, sums + j)).value, features + j);
    });
}

/// Candidates and the time gate of one vector of units.
template <class V>
struct Parts {
    V first, second, slope, time;
    Gate<V> gate;
};

/// `time` may be nullptr: ones.
template <class D, class Lanes, typename T, class V = hn::Vec<D>>
HWY_INLINE Parts<V> partsOf(D d, Lanes lanes, const T* sums, const T* time, std::int64_t units, std::int64_t j)
{
    Parts<V> parts;
    parts.first = tanh(d, lanes.load(d, sums + j));
    parts.second = tanh(d, lanes.load(d, sums + units + j));
    parts.slope = lanes.load(d, sums + 2 * units + j);
    parts.time = time != nullptr ? lanes.load(d, time + j) : hn::Set(d, T{1});
    parts.gate = sigmoidGate(d, hn::MulAdd(parts.slope, parts.time, lanes.load(d, sums + 3 * units + j)));
    return parts;
}

template <bool isGated, typename T>
HWY_INLINE void forwardRow(const T* sums, const T* time, T* h, std::int64_t units)
{
    const hn::ScalableTag<T> d;
    forLanes(d, units, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto p = partsOf(d, lanes, sums, time, units, j);
        const auto kept = isGated ? hn::Mul(p.gate.shut, p.first) : p.first;
        lanes.store(d, hn::MulAdd(p.gate.open, p.second, kept), h + j);
    });
}

/// What one sequence's way back reads and writes at a step.
template <typename T>
struct BackwardRow {
    const T *sums, *time;       ///< of the heads; time may be nullptr: ones
    const T *gradH, *gradState; ///< nullptr: zeros
    const T* gradKept;          ///< of the sums that are an output; nullptr: zeros
    T *gradSums, *gradTime;     ///< gradTime may be nullptr
    T* carry; ///< gradient of the state after the step, then of that before it, but for what the product adds
};

template <class D, class Lanes, typename T, class V = hn::Vec<D>>
HWY_INLINE V arriving(D d, Lanes lanes, const BackwardRow<T>& row, std::int64_t j)
{
    const V given = hn::Add(loadOrZero(d, lanes, row.gradH, j), loadOrZero(d, lanes, row.gradState, j));
    return hn::Add(lanes.load(d, row.carry + j), given);
}

template <bool isGated, typename T>
HWY_INLINE void backwardRow(const BackwardRow<T>& row, std::int64_t units)
{
    const hn::ScalableTag<T> d;
    const auto one = hn::Set(d, T{1});
    forLanes(d, units, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto p = partsOf(d, lanes, row.sums, row.time, units, j);
        const auto on = arriving(d, lanes, row, j);
        const auto keep = [&](int head, auto gradient) HWY_ATTR {
            const std::int64_t at = head * units + j;
            lanes.store(d, hn::Add(gradient, loadOrZero(d, lanes, row.gradKept, at)), row.gradSums + at);
        };
        const auto onFirst = isGated ? hn::Mul(on, p.gate.shut) : on;
        const auto moved = isGated ? hn::Sub(p.second, p.first) : p.second;
        const auto onGate = hn::Mul(hn::Mul(on, moved), hn::Mul(p.gate.open, p.gate.shut));
        keep(0, hn::Mul(onFirst, hn::NegMulAdd(p.first, p.first, one)));
        keep(1, hn::Mul(hn::Mul(on, p.gate.open), hn::NegMulAdd(p.second, p.second, one)));
        keep(2, hn::Mul(onGate, p.time));
        keep(3, onGate);
        if (row.gradTime != nullptr)
            lanes.store(d, hn::Mul(onGate, p.slope), row.gradTime + j);
        lanes.store(d, hn::Zero(d), row.carry + j);
    });
}

template <typename T>
HWY_INLINE void backwardHeldRow(const BackwardRow<T>& row, std::int64_t units)
{
    const hn::ScalableTag<T> d;
    copyRowOrZero(row.gradKept, row.gradSums, kCfcHeads * units);
    if (row.gradTime != nullptr)
        copyRowOrZero<T>(nullptr, row.gradTime, units);
    forLanes(d, units,
             [&](auto lanes, std::int64_t j) HWY_ATTR { lanes.store(d, arriving(d, lanes, row, j), row.carry + j); });
}

/// From the gradients of the features to those of the backbone's sums, and the features again.
template <CfcActivation kind, typename T>
HWY_INLINE void backboneRow(const T* sums, const T* onFeatures, const T* gradKept, T* features, T* gradU,
                            std::int64_t columns)
{
    const hn::ScalableTag<T> d;
    forLanes(d, columns, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto z = activated<kind>(d, lanes.load(d, sums + j));
        lanes.store(d, z.value, features + j);
        const auto on = hn::MulAdd(lanes.load(d, onFeatures + j), z.slope, loadOrZero(d, lanes, gradKept, j));
        lanes.store(d, on, gradU + j);
    });
}

template <typename U>
U* partOf(StepRows<U> rows, std::int64_t b, std::int64_t column)
{
    return rows.data != nullptr ? rows.row(b) + column : nullptr;
}

template <CfcActivation kind, bool isGated, typename T>
void scanWith(const CfcStepsForward<T, T>& scan, Sequences some)
{
    const std::int64_t units = scan.width, wide = scan.backbone;
    ScratchRows<T> sums(some.count, wide), features(some.count, wide), heads(some.count, scan.headsWidth());
    StepRows<const T> before = some.of(scan.initial, 0);
    for (std::int64_t position = 0; position < scan.steps; ++position) {
        const WalkStep walk = scan.at(position);
        const StepRows<T> walked = some.of(scan.walked, walk.step), h = some.of(scan.h, walk.step);
        const StepRows<const T> time = some.of(scan.time, walk.step);
        addProductTo(some.of(scan.u, walk.step), before, some.count, scan.ofState, sums.rows());
        for (std::int64_t b = 0; b < some.count; ++b)
            activateRow<kind>(sums.row(b), features.row(b), wide);
        addProductTo({scan.bias, 0}, features.rows(), some.count, scan.heads, heads.rows());
        for (std::int64_t b = 0; b < some.count; ++b) {
            if (some.real(scan, walk, b))
                forwardRow<isGated>(heads.row(b), partOf(time, b, 0), h.row(b), units);
            else
                copyRowOrZero(before.rowOrNull(b), h.row(b), units);
            T* kept = walked.row(b);
            copyRow(static_cast<const T*>(h.row(b)), kept, units);
            copyRow(static_cast<const T*>(sums.row(b)), kept + units, wide);
            copyRow(static_cast<const T*>(heads.row(b)), kept + units + wide, scan.headsWidth());
        }
        before = h;
    }
    copyRowsOrZero(before, some.count, some.of(scan.last, 0), units);
}

template <CfcActivation kind, bool isGated, typename T>
void scanWith(const CfcStepsBackward<T, T>& scan, Sequences some)
{
    const std::int64_t units = scan.width, wide = scan.backbone;
    ScratchRows<T> carry(some.count, units), onFeatures(some.count, wide);
    copyRowsOrZero(some.of(scan.gradLast, 0), some.count, carry.rows(), units);
    for (std::int64_t position = scan.steps - 1; position >= 0; --position) {
        const WalkStep walk = scan.at(position);
        const StepRows<const T> walked = some.of(scan.walked, walk.step), time = some.of(scan.time, walk.step);
        const StepRows<const T> gradH = some.of(scan.gradH, walk.step);
        const StepRows<const T> gradWalked = some.of(scan.gradWalked, walk.step);
        const StepRows<T> gradSums = some.of(scan.gradSums, walk.step), gradTime = some.of(scan.gradTime, walk.step);
        const StepRows<T> gradU = some.of(scan.gradU, walk.step), features = some.of(scan.features, walk.step);
        for (std::int64_t b = 0; b < some.count; ++b) {
            const BackwardRow<T> row{.sums = partOf(walked, b, units + wide),
                                     .time = partOf(time, b, 0),
                                     .gradH = partOf(gradH, b, 0),
                                     .gradState = partOf(gradWalked, b, 0),
                                     .gradKept = partOf(gradWalked, b, units + wide),
                                     .gradSums = gradSums.row(b),
                                     .gradTime = partOf(gradTime, b, 0),
                                     .carry = carry.row(b)};
            if (some.real(scan, walk, b))
                backwardRow<isGated>(row, units);
            else
                backwardHeldRow(row, units);
        }
        copyRowsOrZero({}, some.count, onFeatures.rows(), wide);
        addProduct(gradSums, some.count, scan.heads, onFeatures.rows());
        for (std::int64_t b = 0; b < some.count; ++b) {
            const T* gradKept = partOf(gradWalked, b, units);
            if (gradKept != nullptr || some.real(scan, walk, b)) {
                backboneRow<kind>(walked.row(b) + units, onFeatures.row(b), gradKept, features.row(b), gradU.row(b),
                                  wide);
            } else { // whatever stands there, NaN too, has no part in it
                copyRowOrZero<T>(nullptr, features.row(b), wide);
                copyRowOrZero<T>(nullptr, gradU.row(b), wide);
            }
        }
        addProduct(gradU, some.count, scan.ofState, carry.rows());
    }
    copyRowsOrZero(carry.rows(), some.count, some.of(scan.gradInitial, 0), units);
}

template <CfcActivation kind, class Scan>
void scanOf(const Scan& scan, Sequences some)
{
    return scan.isGated ? scanWith<kind, true>(scan, some) : scanWith<kind, false>(scan, some);
}

template <class Scan>
void scanAs(const Scan& scan, Sequences some)
{
    switch (scan.activation) {
    case CfcActivation::LecunTanh: return scanOf<CfcActivation::LecunTanh>(scan, some);
    case CfcActivation::Tanh: return scanOf<CfcActivation::Tanh>(scan, some);
    case CfcActivation::Relu: return scanOf<CfcActivation::Relu>(scan, some);
    case CfcActivation::Silu: return scanOf<CfcActivation::Silu>(scan, some);
    }
}

void scanAny(const CfcStepsPass& pass, ColumnRange sequences)
{
    scanSequences(pass, sequences, [](const auto& scan, Sequences some) HWY_ATTR { scanAs(scan, some); });
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(CfcStepsPass)
#endif
