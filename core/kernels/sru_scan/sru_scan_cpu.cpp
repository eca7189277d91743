// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/sru_scan/sru_scan_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/sru_scan/sru_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cpu/activation_inl.h"
#include "core/kernels/cpu/walk_steps_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// The inputs of one step of one sequence, from its first column on.
template <typename T>
struct InputRow {
    ReadRow<T> candidate;
    ReadRow<T> forget;
    ReadRow<T> reset;
    ReadRow<T> skip; ///< absent: x' = 0
    const T* forgetWeight;
    const T* resetWeight;
    const T* forgetBias;
    const T* resetBias;
    const T* dropout; ///< nullptr: ones
    T skipScale;
};

template <typename T>
HWY_INLINE InputRow<T> inputRow(const SruScanInputs<T, T>& scan, const RowPiece& at)
{
    return {at.read(scan.candidate),     at.read(scan.forget),
            at.read(scan.reset),         at.read(scan.skip),
            scan.forgetWeight + at.unit, scan.resetWeight + at.unit,
            scan.forgetBias + at.unit,   scan.resetBias + at.unit,
            at.of(scan.dropout),         scan.skipScale};
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
    const V forgetIn = hn::Add(lanes.load(d, in.forget, j), lanes.load(d, in.forgetBias + j));
    const V resetIn = hn::Add(lanes.load(d, in.reset, j), lanes.load(d, in.resetBias + j));
    return {sigmoidGate(d, hn::MulAdd(lanes.load(d, in.forgetWeight + j), before, forgetIn)),
            sigmoidGate(d, hn::MulAdd(lanes.load(d, in.resetWeight + j), before, resetIn))};
}

template <Activation activation, bool skips, typename T>
HWY_INLINE void forwardRow(const InputRow<T>& in, T* state, const WrittenRow<T>& hRow, const WrittenRow<T>& cRow,
                           std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto before = lanes.load(d, state + j);
        const auto gates = sruGates(in, d, lanes, j, before);
        const auto c =
            hn::MulAdd(gates.forget.open, before, hn::Mul(gates.forget.shut, lanes.load(d, in.candidate, j)));
        auto part = gates.reset.open;
        if (in.dropout != nullptr)
            part = hn::Mul(part, lanes.load(d, in.dropout + j));
        auto h = activate<activation>(d, c).value;
        if constexpr (skips) {
            const auto x = hn::Mul(hn::Set(d, in.skipScale), lanes.load(d, in.skip, j));
            h = hn::MulAdd(hn::Sub(h, x), part, x);
        } else {
            h = hn::Mul(h, part);
        }
        lanes.store(d, c, state + j);
        lanes.store(d, c, cRow, j);
        lanes.store(d, h, hRow, j);
    });
}

template <Activation activation, bool skips, typename T>
void scanWith(const SruScanForward<T, T>& scan, ColumnRange columns)
{
    startRows(scan, columns, scan.initial, scan.last);
    walkSteps(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        T* state = at.of(scan.last);
        const WrittenRow<T> h = at.written(scan.h), c = at.written(scan.c);
        if (at.real) {
            forwardRow<activation, skips>(inputRow(scan, at), state, h, c, at.count);
        } else {
            copyRow(state, c.data, at.count);
            zeroRow(h.data, at.count);
        }
    });
}

template <typename T>
struct GradientRow {
    ReadRow<T> before; ///< state before the step; absent: zeros
    const T* c;        ///< read a step ago, as `before`
    ReadRow<T> gradH;  ///< absent: zeros
    ReadRow<T> gradC;  ///< absent: zeros
    T* carry;          ///< gradient of the state: after the step on entry, before it on exit
    WrittenRow<T> candidate;
    WrittenRow<T> forget;
    WrittenRow<T> reset;
    WrittenRow<T> skip;
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
            height = hn::NegMulAdd(scale, lanes.load(d, in.skip, j), height);
            lanes.store(d, hn::Mul(scale, gradSkip), out.skip, j);
        }
        const auto gradReset = hn::Mul(hn::Mul(gradActive, r.shut), height);
        // c = f * before + (1 - f) * u0
        const auto gradState = hn::Add(lanes.load(d, out.carry + j), loadOrZero(d, lanes, out.gradC, j));
        const auto gradC = hn::MulAdd(gradActive, active.slope, gradState);
        const auto gradCandidate = hn::Mul(gradC, f.shut);
        const auto rise = hn::Sub(before, lanes.load(d, in.candidate, j));
        const auto gradForget = hn::Mul(hn::Mul(gradCandidate, f.open), rise);
        lanes.store(d, gradCandidate, out.candidate, j);
        lanes.store(d, gradForget, out.forget, j);
        lanes.store(d, gradReset, out.reset, j);
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
    zeroRow(out.candidate.data, count);
    zeroRow(out.forget.data, count);
    zeroRow(out.reset.data, count);
    if (skips)
        zeroRow(out.skip.data, count);
    if (out.gradC.data != nullptr)
        addRow(out.gradC.data, out.carry, count);
}

template <typename T>
HWY_INLINE GradientRow<T> gradientRow(const SruScanBackward<T, T>& scan, const RowPiece& at)
{
    GradientRow<T> row{at.before(scan.c, scan.initial),
                       at.of(scan.c),
                       at.read(scan.gradH),
                       at.read(scan.gradC),
                       at.of(scan.gradInitial),
                       at.written(scan.gradCandidate),
                       at.written(scan.gradForget),
                       at.written(scan.gradReset),
                       at.written(scan.gradSkip),
                       {}};
    for (int which = 0; which < 4; ++which)
        row.weights[which] = scan.gradWeightRow(at.batch, which) + at.unit;
    return row;
}

template <Activation activation, bool skips, typename T>
void scanWith(const SruScanBackward<T, T>& scan, ColumnRange columns)
{
    startRows(scan, columns, scan.gradLast, scan.gradInitial);
    eachRow(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        for (int which = 0; which < 4; ++which)
            zeroRow(scan.gradWeightRow(at.batch, which) + at.unit, at.count);
    });
    walkStepsBack(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        const GradientRow<T> out = gradientRow(scan, at);
        if (at.real)
            backwardRow<activation, skips>(inputRow(scan, at), out, at.count);
        else
            backwardHeldRow<skips>(out, at.count);
    });
}

/// Picks the instance: activation and skip term are known before the loops. Silu is not offered.
template <bool skips, class Scan>
void scanSkipping(const Scan& scan, ColumnRange columns)
{
    scan.activation == Activation::Tanh ? scanWith<Activation::Tanh, skips>(scan, columns)
                                        : scanWith<Activation::Identity, skips>(scan, columns);
}

void scanAny(const SruScanPass& pass, ColumnRange columns)
{
    std::visit([&](const auto* scan)
                   HWY_ATTR { scan->skip ? scanSkipping<true>(*scan, columns) : scanSkipping<false>(*scan, columns); },
               pass);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(SruScanPass)
#endif
