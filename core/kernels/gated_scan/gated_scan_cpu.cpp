// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/gated_scan/gated_scan_cpu.h"

#include "core/kernels/common/flush_denormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gated_scan/gated_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/activation_inl.h"
#include "core/kernels/common/lanes_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
struct ForwardRow {
    const T* forget;
    const T* candidates;
    const T* output;
    T* state;
    T* u;
    T* h;
};

template <Activation candidate, bool gated, typename T>
HWY_INLINE void forwardRow(const ForwardRow<T>& row, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto f = sigmoidGate(d, lanes.load(d, row.forget + j));
        const auto c = activate<candidate>(d, lanes.load(d, row.candidates + j)).value;
        const auto h = hn::MulAdd(f.open, lanes.load(d, row.state + j), hn::Mul(f.shut, c));
        lanes.store(d, h, row.state + j);
        lanes.store(d, h, row.h + j);
        if constexpr (gated)
            lanes.store(d, hn::Mul(h, sigmoid(d, lanes.load(d, row.output + j))), row.u + j);
        else
            lanes.store(d, h, row.u + j);
    });
}

template <Activation candidate, bool gated, typename T>
void forwardColumns(const GatedScanForward<T, T>& scan, ColumnRange columns)
{
    forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
        copyRowOrZero(rowOrNull(scan.initial, 0, b, j), scan.last.row(0, b) + j, count);
    });
    for (std::int64_t s = 0; s < scan.steps; ++s) {
        const std::int64_t t = scan.reverse ? scan.steps - 1 - s : s;
        forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
            const ForwardRow<T> row{
                scan.forget.row(t, b) + j, scan.candidates.row(t, b) + j, gated ? scan.output.row(t, b) + j : nullptr,
                scan.last.row(0, b) + j,   scan.u.row(t, b) + j,          scan.h.row(t, b) + j};
            if (scan.mask.real(t, b)) {
                forwardRow<candidate, gated>(row, count);
            } else {
                copyRow(row.state, row.h, count);
                zeroRow(row.u, count);
            }
        });
    }
}

template <typename T>
struct BackwardRow {
    const T* forget;
    const T* candidates;
    const T* output;
    const T* before; ///< state before the step, nullptr: zeros
    const T* h;
    const T* gradU; ///< nullptr: zeros
    const T* gradH; ///< nullptr: zeros
    T* carry;       ///< gradient of the state: after the step on entry, before it on exit
    T* gradForget;
    T* gradCandidates;
    T* gradOutput;
};

template <Activation candidate, bool gated, typename T>
HWY_INLINE void backwardRow(const BackwardRow<T>& row, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto gradU = loadOrZero(d, lanes, row.gradU, j);
        auto gradH = hn::Add(lanes.load(d, row.carry + j), loadOrZero(d, lanes, row.gradH, j));
        if constexpr (gated) {
            const auto g = sigmoidGate(d, lanes.load(d, row.output + j));
            gradH = hn::MulAdd(gradU, g.open, gradH);
            const auto slope = hn::Mul(g.open, g.shut);
            lanes.store(d, hn::Mul(hn::Mul(gradU, lanes.load(d, row.h + j)), slope), row.gradOutput + j);
        } else {
            gradH = hn::Add(gradH, gradU);
        }
        const auto f = sigmoidGate(d, lanes.load(d, row.forget + j));
        const auto c = activate<candidate>(d, lanes.load(d, row.candidates + j));
        const auto before = loadOrZero(d, lanes, row.before, j);
        const auto leak = hn::Mul(gradH, f.shut);
        lanes.store(d, hn::Mul(hn::Mul(leak, f.open), hn::Sub(before, c.value)), row.gradForget + j);
        lanes.store(d, hn::Mul(leak, c.slope), row.gradCandidates + j);
        lanes.store(d, hn::Mul(gradH, f.open), row.carry + j);
    });
}

/// A masked step: the state went through, the gates had no part.
template <bool gated, typename T>
void backwardHeldRow(const BackwardRow<T>& row, std::int64_t count)
{
    zeroRow(row.gradForget, count);
    zeroRow(row.gradCandidates, count);
    if (gated)
        zeroRow(row.gradOutput, count);
    if (row.gradH != nullptr)
        addRow(row.gradH, row.carry, count);
}

template <Activation candidate, bool gated, typename T>
void backwardColumns(const GatedScanBackward<T, T>& scan, ColumnRange columns)
{
    forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
        copyRowOrZero(rowOrNull(scan.gradLast, 0, b, j), scan.gradInitial.row(0, b) + j, count);
    });
    for (std::int64_t s = scan.steps - 1; s >= 0; --s) {
        const std::int64_t t = scan.reverse ? scan.steps - 1 - s : s;
        const std::int64_t previous = scan.reverse ? t + 1 : t - 1;
        forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t count) HWY_ATTR {
            const BackwardRow<T> row{scan.forget.row(t, b) + j,
                                     scan.candidates.row(t, b) + j,
                                     rowOrNull(scan.output, t, b, j),
                                     s > 0 ? scan.h.row(previous, b) + j : rowOrNull(scan.initial, 0, b, j),
                                     scan.h.row(t, b) + j,
                                     rowOrNull(scan.gradU, t, b, j),
                                     rowOrNull(scan.gradH, t, b, j),
                                     scan.gradInitial.row(0, b) + j,
                                     scan.gradForget.row(t, b) + j,
                                     scan.gradCandidates.row(t, b) + j,
                                     gated ? scan.gradOutput.row(t, b) + j : nullptr};
            if (scan.mask.real(t, b))
                backwardRow<candidate, gated>(row, count);
            else
                backwardHeldRow<gated>(row, count);
        });
    }
}

/// Picks the instance: the candidate's activation and the output gate are known before the loops.
template <typename T, bool gated>
void forwardGated(const GatedScanForward<T, T>& scan, ColumnRange columns)
{
    switch (scan.candidate) {
    case Activation::Identity: return forwardColumns<Activation::Identity, gated>(scan, columns);
    case Activation::Tanh: return forwardColumns<Activation::Tanh, gated>(scan, columns);
    case Activation::Silu: return forwardColumns<Activation::Silu, gated>(scan, columns);
    case Activation::Positive: return forwardColumns<Activation::Positive, gated>(scan, columns);
    }
}

template <typename T, bool gated>
void backwardGated(const GatedScanBackward<T, T>& scan, ColumnRange columns)
{
    switch (scan.candidate) {
    case Activation::Identity: return backwardColumns<Activation::Identity, gated>(scan, columns);
    case Activation::Tanh: return backwardColumns<Activation::Tanh, gated>(scan, columns);
    case Activation::Silu: return backwardColumns<Activation::Silu, gated>(scan, columns);
    case Activation::Positive: return backwardColumns<Activation::Positive, gated>(scan, columns);
    }
}

template <typename T>
void forwardAny(const GatedScanForward<T, T>& scan, ColumnRange columns)
{
    scan.output ? forwardGated<T, true>(scan, columns) : forwardGated<T, false>(scan, columns);
}

template <typename T>
void backwardAny(const GatedScanBackward<T, T>& scan, ColumnRange columns)
{
    scan.output ? backwardGated<T, true>(scan, columns) : backwardGated<T, false>(scan, columns);
}

void forwardFloat(const GatedScanForward<float, float>& scan, ColumnRange columns)
{
    forwardAny(scan, columns);
}
void forwardDouble(const GatedScanForward<double, double>& scan, ColumnRange columns)
{
    forwardAny(scan, columns);
}
void backwardFloat(const GatedScanBackward<float, float>& scan, ColumnRange columns)
{
    backwardAny(scan, columns);
}
void backwardDouble(const GatedScanBackward<double, double>& scan, ColumnRange columns)
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

void gatedScanForwardCpu(const GatedScanForward<float, float>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardFloat)(scan, columns);
}

void gatedScanForwardCpu(const GatedScanForward<double, double>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardDouble)(scan, columns);
}

void gatedScanBackwardCpu(const GatedScanBackward<float, float>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardFloat)(scan, columns);
}

void gatedScanBackwardCpu(const GatedScanBackward<double, double>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardDouble)(scan, columns);
}

} // namespace unroll::kernels
#endif
