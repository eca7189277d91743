// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/sru_scan/sru_scan_cpu.h"

#include "core/kernels/common/flush_denormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/sru_scan/sru_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/activation_inl.h"
#include "core/kernels/common/lanes_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// The inputs of one step of one sequence, from its first column on.
template <typename T>
struct InputRow {
    const T* candidate;
    const T* forget;
    const T* reset;
    const T* skip; ///< nullptr: x' = 0
    const T* forgetWeight;
    const T* resetWeight;
    const T* forgetBias;
    const T* resetBias;
    const T* dropout; ///< nullptr: ones
    T skipScale;
};

template <typename T>
InputRow<T> inputRow(const SruScanInputs<T, T>& scan, std::int64_t t, std::int64_t b, std::int64_t j)
{
    return {scan.candidate.row(t, b) + j,
            scan.forget.row(t, b) + j,
            scan.reset.row(t, b) + j,
            rowOrNull(scan.skip, t, b, j),
            scan.forgetWeight + j,
            scan.resetWeight + j,
            scan.forgetBias + j,
            scan.resetBias + j,
            rowOrNull(scan.dropout, 0, b, j),
            scan.skipScale};
}

/// Both gates, from the state before the step.
template <class V>
struct SruGates {
    Gate<V> forget;
    Gate<V> reset;
};

template <typename T, class D, class Lanes, class V = hn::Vec<D>>
HWY_INLINE SruGates<V> sruGates(const InputRow<T>& in, D d, Lanes lanes, std::int64_t j, V before)
{
    const V forgetIn = hn::Add(lanes.load(d, in.forget + j), lanes.load(d, in.forgetBias + j));
    const V resetIn = hn::Add(lanes.load(d, in.reset + j), lanes.load(d, in.resetBias + j));
    return {sigmoidGate(d, hn::MulAdd(lanes.load(d, in.forgetWeight + j), before, forgetIn)),
            sigmoidGate(d, hn::MulAdd(lanes.load(d, in.resetWeight + j), before, resetIn))};
}

template <Activation activation, bool skips, typename T>
HWY_INLINE void forwardRow(const InputRow<T>& in, T* state, T* hRow, T* cRow, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto before = lanes.load(d, state + j);
        const auto gates = sruGates(in, d, lanes, j, before);
        const auto c =
            hn::MulAdd(gates.forget.open, before, hn::Mul(gates.forget.shut, lanes.load(d, in.candidate + j)));
        auto part = gates.reset.open;
        if (in.dropout != nullptr)
            part = hn::Mul(part, lanes.load(d, in.dropout + j));
        auto h = activate<activation>(d, c).value;
        if constexpr (skips) {
            const auto x = hn::Mul(hn::Set(d, in.skipScale), lanes.load(d, in.skip + j));
            h = hn::MulAdd(hn::Sub(h, x), part, x);
        } else {
            h = hn::Mul(h, part);
        }
        lanes.store(d, c, state + j);
        lanes.store(d, c, cRow + j);
        lanes.store(d, h, hRow + j);
    });
}

template <Activation activation, bool skips, typename T>
void forwardColumns(const SruScanForward<T, T>& scan, ColumnRange columns)
{
    forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
        copyRowOrZero(rowOrNull(scan.initial, 0, b, j), scan.last.row(0, b) + j, count);
    });
    for (std::int64_t s = 0; s < scan.steps; ++s) {
        const std::int64_t t = scan.reverse ? scan.steps - 1 - s : s;
        forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
            T* state = scan.last.row(0, b) + j;
            T* h = scan.h.row(t, b) + j;
            T* c = scan.c.row(t, b) + j;
            if (scan.mask.real(t, b)) {
                forwardRow<activation, skips>(inputRow(scan, t, b, j), state, h, c, count);
            } else {
                copyRow(state, c, count);
                zeroRow(h, count);
            }
        });
    }
}

template <typename T>
struct GradientRow {
    const T* before; ///< state before the step, nullptr: zeros
    const T* c;
    const T* gradH; ///< nullptr: zeros
    const T* gradC; ///< nullptr: zeros
    T* carry;       ///< gradient of the state: after the step on entry, before it on exit
    T* candidate;
    T* forget;
    T* reset;
    T* skip;
    T* weights[4]; ///< added to
};

template <class D, class Lanes, class V, typename T>
HWY_INLINE void addTo(D d, Lanes lanes, V value, T* to)
{
    lanes.store(d, hn::Add(lanes.load(d, to), value), to);
}

template <Activation activation, bool skips, typename T>
HWY_INLINE void backwardRow(const InputRow<T>& in, const GradientRow<T>& out, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto before = loadOrZero(d, lanes, out.before, j);
        const auto [f, r] = sruGates(in, d, lanes, j, before);
        const auto active = activate<activation>(d, lanes.load(d, out.c + j));
        const auto gradH = loadOrZero(d, lanes, out.gradH, j);
        // h = (act(c) - x') * dropout * r + x'
        auto gradActive = hn::Mul(gradH, r.open);
        auto gradSkip = hn::Mul(gradH, r.shut);
        if (in.dropout != nullptr) {
            gradActive = hn::Mul(gradActive, lanes.load(d, in.dropout + j));
            gradSkip = hn::Sub(gradH, gradActive);
        }
        auto height = active.value;
        if constexpr (skips) {
            const auto scale = hn::Set(d, in.skipScale);
            height = hn::NegMulAdd(scale, lanes.load(d, in.skip + j), height);
            lanes.store(d, hn::Mul(scale, gradSkip), out.skip + j);
        }
        const auto gradReset = hn::Mul(hn::Mul(gradActive, r.shut), height);
        // c = f * before + (1 - f) * u0
        const auto gradState = hn::Add(lanes.load(d, out.carry + j), loadOrZero(d, lanes, out.gradC, j));
        const auto gradC = hn::MulAdd(gradActive, active.slope, gradState);
        const auto gradCandidate = hn::Mul(gradC, f.shut);
        const auto rise = hn::Sub(before, lanes.load(d, in.candidate + j));
        const auto gradForget = hn::Mul(hn::Mul(gradCandidate, f.open), rise);
        lanes.store(d, gradCandidate, out.candidate + j);
        lanes.store(d, gradForget, out.forget + j);
        lanes.store(d, gradReset, out.reset + j);
        auto carry = hn::Mul(gradC, f.open);
        carry = hn::MulAdd(gradForget, lanes.load(d, in.forgetWeight + j), carry);
        carry = hn::MulAdd(gradReset, lanes.load(d, in.resetWeight + j), carry);
        lanes.store(d, carry, out.carry + j);
        addTo(d, lanes, hn::Mul(gradForget, before), out.weights[0] + j);
        addTo(d, lanes, hn::Mul(gradReset, before), out.weights[1] + j);
        addTo(d, lanes, gradForget, out.weights[2] + j);
        addTo(d, lanes, gradReset, out.weights[3] + j);
    });
}

/// A masked step: the state went through, nothing else had a part.
template <bool skips, typename T>
void backwardHeldRow(const GradientRow<T>& out, std::int64_t count)
{
    zeroRow(out.candidate, count);
    zeroRow(out.forget, count);
    zeroRow(out.reset, count);
    if (skips)
        zeroRow(out.skip, count);
    if (out.gradC != nullptr)
        addRow(out.gradC, out.carry, count);
}

template <typename T>
GradientRow<T> gradientRow(const SruScanBackward<T, T>& scan, std::int64_t s, std::int64_t t, std::int64_t b,
                           std::int64_t j)
{
    const std::int64_t previous = scan.reverse ? t + 1 : t - 1;
    GradientRow<T> row{s > 0 ? scan.c.row(previous, b) + j : rowOrNull(scan.initial, 0, b, j),
                       scan.c.row(t, b) + j,
                       rowOrNull(scan.gradH, t, b, j),
                       rowOrNull(scan.gradC, t, b, j),
                       scan.gradInitial.row(0, b) + j,
                       scan.gradCandidate.row(t, b) + j,
                       scan.gradForget.row(t, b) + j,
                       scan.gradReset.row(t, b) + j,
                       scan.gradSkip ? scan.gradSkip.row(t, b) + j : nullptr,
                       {}};
    for (int which = 0; which < 4; ++which)
        row.weights[which] = scan.gradWeightRow(b, which) + j;
    return row;
}

template <Activation activation, bool skips, typename T>
void backwardColumns(const SruScanBackward<T, T>& scan, ColumnRange columns)
{
    forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
        copyRowOrZero(rowOrNull(scan.gradLast, 0, b, j), scan.gradInitial.row(0, b) + j, count);
        for (int which = 0; which < 4; ++which)
            zeroRow(scan.gradWeightRow(b, which) + j, count);
    });
    for (std::int64_t s = scan.steps - 1; s >= 0; --s) {
        const std::int64_t t = scan.reverse ? scan.steps - 1 - s : s;
        forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
            const GradientRow<T> out = gradientRow(scan, s, t, b, j);
            if (scan.mask.real(t, b))
                backwardRow<activation, skips>(inputRow(scan, t, b, j), out, count);
            else
                backwardHeldRow<skips>(out, count);
        });
    }
}

/// Picks the instance: activation and skip term are known before the loops. Silu is not offered.
template <typename T>
void forwardAny(const SruScanForward<T, T>& scan, ColumnRange columns)
{
    const bool tanh = scan.activation == Activation::Tanh;
    if (scan.skip)
        tanh ? forwardColumns<Activation::Tanh, true>(scan, columns)
             : forwardColumns<Activation::Identity, true>(scan, columns);
    else
        tanh ? forwardColumns<Activation::Tanh, false>(scan, columns)
             : forwardColumns<Activation::Identity, false>(scan, columns);
}

template <typename T>
void backwardAny(const SruScanBackward<T, T>& scan, ColumnRange columns)
{
    const bool tanh = scan.activation == Activation::Tanh;
    if (scan.skip)
        tanh ? backwardColumns<Activation::Tanh, true>(scan, columns)
             : backwardColumns<Activation::Identity, true>(scan, columns);
    else
        tanh ? backwardColumns<Activation::Tanh, false>(scan, columns)
             : backwardColumns<Activation::Identity, false>(scan, columns);
}

void forwardFloat(const SruScanForward<float, float>& scan, ColumnRange columns)
{
    forwardAny(scan, columns);
}
void forwardDouble(const SruScanForward<double, double>& scan, ColumnRange columns)
{
    forwardAny(scan, columns);
}
void backwardFloat(const SruScanBackward<float, float>& scan, ColumnRange columns)
{
    backwardAny(scan, columns);
}
void backwardDouble(const SruScanBackward<double, double>& scan, ColumnRange columns)
{
    backwardAny(scan, columns);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(forwardFloat);
HWY_EXPORT(forwardDouble);
HWY_EXPORT(backwardFloat);
HWY_EXPORT(backwardDouble);

void sruScanForwardCpu(const SruScanForward<float, float>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardFloat)(scan, columns);
}

void sruScanForwardCpu(const SruScanForward<double, double>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardDouble)(scan, columns);
}

void sruScanBackwardCpu(const SruScanBackward<float, float>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardFloat)(scan, columns);
}

void sruScanBackwardCpu(const SruScanBackward<double, double>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardDouble)(scan, columns);
}

} // namespace unroll::kernels
#endif
