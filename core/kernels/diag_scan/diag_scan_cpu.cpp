// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/diag_scan/diag_scan_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/diag_scan/diag_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cpu/complex_lanes_inl.h"
#include "core/kernels/cpu/walk_steps_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename R>
struct ForwardRow {
    ReadRow<R> a;
    ReadRow<R> b;
    R* state;
    WrittenRow<R> h;
};

#if HWY_TARGET != HWY_SCALAR

/// count: real numbers, so two for each complex element.
template <bool pairs, typename R>
HWY_INLINE void forwardRow(const ForwardRow<R>& row, std::int64_t count)
{
    const hn::ScalableTag<R> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto h =
            multiplyAdd<pairs>(d, lanes.load(d, row.a, j), lanes.load(d, row.state + j), lanes.load(d, row.b, j));
        lanes.store(d, h, row.state + j);
        lanes.store(d, h, row.h, j);
    });
}

#else // lanes hold one number: elements are walked

template <bool pairs, typename R>
void forwardRow(const ForwardRow<R>& row, std::int64_t count)
{
    using T = Element<pairs, R>;
    for (std::int64_t j = 0; j < count / Parts<T>::count; ++j) {
        const T h = element<T>(row.a.data, j) * element<T>(row.state, j) + element<T>(row.b.data, j);
        reinterpret_cast<T*>(row.state)[j] = h;
        reinterpret_cast<T*>(row.h.data)[j] = h;
    }
}

#endif

/// The row of a step, or the one that serves all steps.
template <typename T>
HWY_INLINE auto factorOf(const RowPiece& at, const DiagScanInputs<T, T>& scan)
{
    return parts(at.read(scan.a ? scan.a : scan.constant));
}

template <typename T>
void scanColumns(const DiagScanForward<T, T>& scan, ColumnRange columns)
{
    constexpr int numbers = Parts<T>::count;
    eachRow(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        copyRowOrZero(partsOf(at, scan.initial), partsOf(at, scan.last), at.count * numbers);
    });
    walkSteps(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        const ForwardRow<typename Parts<T>::Real> row{factorOf(at, scan), parts(at.read(scan.b)),
                                                      partsOf(at, scan.last), parts(at.written(scan.h))};
        if (at.real)
            forwardRow<numbers == 2>(row, at.count * numbers);
        else
            copyRow(row.state, row.h.data, at.count * numbers);
    });
}

template <typename R>
struct BackwardRow {
    ReadRow<R> a;
    ReadRow<R> before;   ///< state before the step; absent: zeros
    ReadRow<R> gradH;    ///< absent: zeros
    R* carry;            ///< gradient of the state: after the step on entry, before it on exit
    WrittenRow<R> gradA; ///< with `summed`, read and added to
    WrittenRow<R> gradB;
};

#if HWY_TARGET != HWY_SCALAR

template <bool pairs, bool summed, typename R>
HWY_INLINE void backwardRow(const BackwardRow<R>& row, std::int64_t count)
{
    const hn::ScalableTag<R> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto grad = hn::Add(lanes.load(d, row.carry + j), loadOrZero(d, lanes, row.gradH, j));
        const auto before = loadOrZero(d, lanes, row.before, j);
        const auto sum = summed ? lanes.load(d, row.gradA.data + j) : hn::Zero(d);
        lanes.store(d, multiplyConjugateAdd<pairs>(d, before, grad, sum), row.gradA, j);
        lanes.store(d, grad, row.gradB, j);
        lanes.store(d, multiplyConjugate<pairs>(d, lanes.load(d, row.a, j), grad), row.carry + j);
    });
}

#else

template <bool pairs, bool summed, typename R>
void backwardRow(const BackwardRow<R>& row, std::int64_t count)
{
    using T = Element<pairs, R>;
    for (std::int64_t j = 0; j < count / Parts<T>::count; ++j) {
        const T grad = element<T>(row.carry, j) + element<T>(row.gradH.data, j);
        const T toA = conjugate(element<T>(row.before.data, j)) * grad;
        reinterpret_cast<T*>(row.gradA.data)[j] = summed ? element<T>(row.gradA.data, j) + toA : toA;
        reinterpret_cast<T*>(row.gradB.data)[j] = grad;
        reinterpret_cast<T*>(row.carry)[j] = conjugate(element<T>(row.a.data, j)) * grad;
    }
}

#endif

/// A masked step: the state went through, a and b had no part.
template <bool summed, typename R>
void backwardHeldRow(const BackwardRow<R>& row, std::int64_t count)
{
    if (!summed)
        zeroRow(row.gradA.data, count);
    zeroRow(row.gradB.data, count);
    if (row.gradH.data != nullptr)
        addRow(row.gradH.data, row.carry, count);
}

template <bool summed, typename T>
void backwardColumns(const DiagScanBackward<T, T>& scan, ColumnRange columns)
{
    using R = typename Parts<T>::Real;
    constexpr int numbers = Parts<T>::count;
    eachRow(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        copyRowOrZero(partsOf(at, scan.gradLast), partsOf(at, scan.gradInitial), at.count * numbers);
        if (summed)
            zeroRow(partsOf(at, scan.gradConstant), at.count * numbers);
    });
    walkStepsBack(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        const BackwardRow<R> row{factorOf(at, scan),
                                 parts(at.before(scan.h, scan.initial)),
                                 parts(at.read(scan.gradH)),
                                 partsOf(at, scan.gradInitial),
                                 parts(at.written(summed ? scan.gradConstant : scan.gradA)),
                                 parts(at.written(scan.gradB))};
        if (at.real)
            backwardRow<numbers == 2, summed>(row, at.count * numbers);
        else
            backwardHeldRow<summed>(row, at.count * numbers);
    });
}

template <typename T>
void scanColumns(const DiagScanBackward<T, T>& scan, ColumnRange columns)
{
    scan.gradConstant ? backwardColumns<true>(scan, columns) : backwardColumns<false>(scan, columns);
}

void scanAny(const DiagScanPass& pass, ColumnRange columns)
{
    std::visit([&](const auto* scan) HWY_ATTR { scanColumns(*scan, columns); }, pass);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(DiagScanPass)
#endif
