// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/gated_scan/gated_scan_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gated_scan/gated_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cpu/activation_inl.h"
#include "core/kernels/cpu/walk_steps_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
struct ForwardRow {
    ReadRow<T> forget;
    ReadRow<T> candidates;
    ReadRow<T> output;
    T* state;
    WrittenRow<T> u;
    WrittenRow<T> h;
};

template <Activation candidate, bool gated, typename T>
HWY_INLINE void forwardRow(const ForwardRow<T>& row, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto f = sigmoidGate(d, lanes.load(d, row.forget, j));
        const auto c = activate<candidate>(d, lanes.load(d, row.candidates, j)).value;
        const auto h = hn::MulAdd(f.open, lanes.load(d, row.state + j), hn::Mul(f.shut, c));
        lanes.store(d, h, row.state + j);
        lanes.store(d, h, row.h, j);
        if constexpr (gated)
            lanes.store(d, hn::Mul(h, sigmoid(d, lanes.load(d, row.output, j))), row.u, j);
        else
            lanes.store(d, h, row.u, j);
    });
}

template <Activation candidate, bool gated, typename T>
void scanWith(const GatedScanForward<T, T>& scan, ColumnRange columns)
{
    startRows(scan, columns, scan.initial, scan.last);
    walkSteps(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        const ForwardRow<T> row{at.read(scan.forget), at.read(scan.candidates), at.read(scan.output),
                                at.of(scan.last),     at.written(scan.u),       at.written(scan.h)};
        if (at.real) {
            forwardRow<candidate, gated>(row, at.count);
        } else {
            copyRow(row.state, row.h.data, at.count);
            zeroRow(row.u.data, at.count);
        }
    });
}

template <typename T>
struct BackwardRow {
    ReadRow<T> forget;
    ReadRow<T> candidates;
    ReadRow<T> output;
    ReadRow<T> before; ///< state before the step; absent: zeros
    const T* h;        ///< read a step ago, as `before`
    ReadRow<T> gradU;  ///< absent: zeros
    ReadRow<T> gradH;  ///< absent: zeros
    T* carry;          ///< gradient of the state: after the step on entry, before it on exit
    WrittenRow<T> gradForget;
    WrittenRow<T> gradCandidates;
    WrittenRow<T> gradOutput;
};

template <Activation candidate, bool gated, typename T>
HWY_INLINE void backwardRow(const BackwardRow<T>& row, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto gradU = loadOrZero(d, lanes, row.gradU, j);
        auto gradH = hn::Add(lanes.load(d, row.carry + j), loadOrZero(d, lanes, row.gradH, j));
        if constexpr (gated) {
            const auto g = sigmoidGate(d, lanes.load(d, row.output, j));
            gradH = hn::MulAdd(gradU, g.open, gradH);
            const auto slope = hn::Mul(g.open, g.shut);
            lanes.store(d, hn::Mul(hn::Mul(gradU, lanes.load(d, row.h + j)), slope), row.gradOutput, j);
        } else {
            gradH = hn::Add(gradH, gradU);
        }
        const auto f = sigmoidGate(d, lanes.load(d, row.forget, j));
        const auto c = activate<candidate>(d, lanes.load(d, row.candidates, j));
        const auto before = loadOrZero(d, lanes, row.before, j);
        const auto leak = hn::Mul(gradH, f.shut);
        lanes.store(d, hn::Mul(hn::Mul(leak, f.open), hn::Sub(before, c.value)), row.gradForget, j);
        lanes.store(d, hn::Mul(leak, c.slope), row.gradCandidates, j);
        lanes.store(d, hn::Mul(gradH, f.open), row.carry + j);
    });
}

/// A masked step: the state went through, the gates had no part.
template <bool gated, typename T>
void backwardHeldRow(const BackwardRow<T>& row, std::int64_t count)
{
    zeroRow(row.gradForget.data, count);
    zeroRow(row.gradCandidates.data, count);
    if (gated)
        zeroRow(row.gradOutput.data, count);
    if (row.gradH.data != nullptr)
        addRow(row.gradH.data, row.carry, count);
}

template <Activation candidate, bool gated, typename T>
void scanWith(const GatedScanBackward<T, T>& scan, ColumnRange columns)
{
    startRows(scan, columns, scan.gradLast, scan.gradInitial);
    walkStepsBack(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        const BackwardRow<T> row{at.read(scan.forget),
                                 at.read(scan.candidates),
                                 at.read(scan.output),
                                 at.before(scan.h, scan.initial),
                                 at.of(scan.h),
                                 at.read(scan.gradU),
                                 at.read(scan.gradH),
                                 at.of(scan.gradInitial),
                                 at.written(scan.gradForget),
                                 at.written(scan.gradCandidates),
                                 at.written(scan.gradOutput)};
        if (at.real)
            backwardRow<candidate, gated>(row, at.count);
        else
            backwardHeldRow<gated>(row, at.count);
    });
}

/// Picks the instance: the candidate's activation and the output gate are known before the loops.
template <bool gated, class Scan>
void scanGated(const Scan& scan, ColumnRange columns)
{
    switch (scan.candidate) {
    case Activation::Identity: return scanWith<Activation::Identity, gated>(scan, columns);
    case Activation::Tanh: return scanWith<Activation::Tanh, gated>(scan, columns);
    case Activation::Silu: return scanWith<Activation::Silu, gated>(scan, columns);
    case Activation::Positive: return scanWith<Activation::Positive, gated>(scan, columns);
    }
}

void scanAny(const GatedScanPass& pass, ColumnRange columns)
{
    std::visit([&](const auto* scan)
                   HWY_ATTR { scan->output ? scanGated<true>(*scan, columns) : scanGated<false>(*scan, columns); },
               pass);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(GatedScanPass)
#endif
