// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/diag_scan/diag_scan_cpu.h"

#include "core/kernels/common/flush_denormals.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/diag_scan/diag_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// A row of elements as the real numbers that it is made of: complex ones lie in pairs.
template <typename T>
HWY_INLINE const typename Parts<T>::Real* parts(const T* row)
{
    return reinterpret_cast<const typename Parts<T>::Real*>(row);
}

template <typename T>
HWY_INLINE typename Parts<T>::Real* parts(T* row)
{
    return reinterpret_cast<typename Parts<T>::Real*>(row);
}

#if HWY_TARGET != HWY_SCALAR

/// a * b + c; with pairs, elements are (even lane) + i (odd lane).
template <bool pairs, class D, class V>
HWY_INLINE V multiplyAdd(D d, V a, V b, V c)
{
    if constexpr (!pairs) {
        return hn::MulAdd(a, b, c);
    } else {
        const V crossed = hn::Mul(hn::DupOdd(a), hn::Reverse2(d, b));
        return hn::Add(hn::MulAdd(hn::DupEven(a), b, c), hn::OddEven(crossed, hn::Neg(crossed)));
    }
}

/// conj(a) * b
template <bool pairs, class D, class V>
HWY_INLINE V multiplyConjugate(D d, V a, V b)
{
    if constexpr (!pairs) {
        return hn::Mul(a, b);
    } else {
        const V crossed = hn::Mul(hn::DupOdd(a), hn::Reverse2(d, b));
        return hn::MulAdd(hn::DupEven(a), b, hn::OddEven(hn::Neg(crossed), crossed));
    }
}

/// conj(a) * b + c. Multiplied and added in one where numbers are real: left apart, compilers join them in some loops and not in others.
template <bool pairs, class D, class V>
HWY_INLINE V multiplyConjugateAdd(D d, V a, V b, V c)
{
    if constexpr (!pairs)
        return hn::MulAdd(a, b, c);
    else
        return hn::Add(multiplyConjugate<pairs>(d, a, b), c);
}

/// count: real numbers, so two for each complex element.
template <bool pairs, typename R>
HWY_INLINE void forwardRow(const R* a, const R* before, const R* b, R* h, std::int64_t count)
{
    const hn::ScalableTag<R> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        lanes.store(d,
                    multiplyAdd<pairs>(d, lanes.load(d, a + j), loadOrZero(d, lanes, before, j), lanes.load(d, b + j)),
                    h + j);
    });
}

#else // lanes hold one number: elements are walked

template <bool pairs, typename R>
using Element = std::conditional_t<pairs, ComplexPair<R>, R>;

template <typename T, typename R>
T element(const R* row, std::int64_t j)
{
    return row != nullptr ? reinterpret_cast<const T*>(row)[j] : T(R(0));
}

template <bool pairs, typename R>
void forwardRow(const R* a, const R* before, const R* b, R* h, std::int64_t count)
{
    using T = Element<pairs, R>;
    for (std::int64_t j = 0; j < count / Parts<T>::count; ++j)
        reinterpret_cast<T*>(h)[j] = element<T>(a, j) * element<T>(before, j) + element<T>(b, j);
}

#endif

/// The row of a at a step: one a step, or always the same.
template <class Scan>
HWY_INLINE auto factorRow(const Scan& scan, std::int64_t t, std::int64_t b, std::int64_t j)
{
    return parts((scan.a ? scan.a.row(t, b) : scan.constant.row(0, 0)) + j);
}

/// The state before the s-th step of the walk; nullptr: zeros. `h` holds the states after each step.
template <class Scan>
HWY_INLINE auto stateBefore(const Scan& scan, std::int64_t s, std::int64_t b, std::int64_t j)
{
    const std::int64_t previous = scan.reverse ? scan.steps - s : s - 1;
    if (s > 0)
        return parts(static_cast<decltype(scan.initial.data)>(scan.h.row(previous, b) + j));
    return scan.initial ? parts(scan.initial.row(0, b) + j) : nullptr;
}

template <typename T>
void forwardColumns(const DiagScanForward<T, T>& scan, ColumnRange columns)
{
    constexpr int count = Parts<T>::count;
    for (std::int64_t s = 0; s < scan.steps; ++s) {
        const std::int64_t t = scan.reverse ? scan.steps - 1 - s : s;
        forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t n) HWY_ATTR {
            const auto* before = stateBefore(scan, s, b, j);
            auto* h = parts(scan.h.row(t, b) + j);
            if (scan.mask.real(t, b))
                forwardRow<count == 2>(factorRow(scan, t, b, j), before, parts(scan.b.row(t, b) + j), h, n * count);
            else
                copyRowOrZero(before, h, n * count);
        });
    }
    forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t n) HWY_ATTR {
        copyRowOrZero(stateBefore(scan, scan.steps, b, j), parts(scan.last.row(0, b) + j), n * count);
    });
}

template <typename R>
struct BackwardRow {
    const R* a;
    const R* before; ///< state before the step, nullptr: zeros
    const R* gradH;  ///< nullptr: zeros
    R* carry;        ///< gradient of the state: after the step on entry, before it on exit
    R* gradA;        ///< written, or with `summed` added to
    R* gradB;
};

#if HWY_TARGET != HWY_SCALAR

template <bool pairs, bool summed, typename R>
HWY_INLINE void backwardRow(const BackwardRow<R>& row, std::int64_t count)
{
    const hn::ScalableTag<R> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto grad = hn::Add(lanes.load(d, row.carry + j), loadOrZero(d, lanes, row.gradH, j));
        const auto before = loadOrZero(d, lanes, row.before, j);
        const auto sum = summed ? lanes.load(d, row.gradA + j) : hn::Zero(d);
        lanes.store(d, multiplyConjugateAdd<pairs>(d, before, grad, sum), row.gradA + j);
        lanes.store(d, grad, row.gradB + j);
        lanes.store(d, multiplyConjugate<pairs>(d, lanes.load(d, row.a + j), grad), row.carry + j);
    });
}

#else

template <bool pairs, bool summed, typename R>
void backwardRow(const BackwardRow<R>& row, std::int64_t count)
{
    using T = Element<pairs, R>;
    for (std::int64_t j = 0; j < count / Parts<T>::count; ++j) {
        const T grad = element<T>(row.carry, j) + element<T>(row.gradH, j);
        const T toA = conjugate(element<T>(row.before, j)) * grad;
        reinterpret_cast<T*>(row.gradA)[j] = summed ? element<T>(row.gradA, j) + toA : toA;
        reinterpret_cast<T*>(row.gradB)[j] = grad;
        reinterpret_cast<T*>(row.carry)[j] = conjugate(element<T>(row.a, j)) * grad;
    }
}

#endif

/// A masked step: the state went through, a and b had no part.
template <bool summed, typename R>
void backwardHeldRow(const BackwardRow<R>& row, std::int64_t count)
{
    if (!summed)
        zeroRow(row.gradA, count);
    zeroRow(row.gradB, count);
    if (row.gradH != nullptr)
        addRow(row.gradH, row.carry, count);
}

template <bool summed, typename T>
void backwardColumns(const DiagScanBackward<T, T>& scan, ColumnRange columns)
{
    using R = typename Parts<T>::Real;
    constexpr int count = Parts<T>::count;
    forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t n) HWY_ATTR {
        const R* last = scan.gradLast ? parts(scan.gradLast.row(0, b) + j) : nullptr;
        copyRowOrZero(last, parts(scan.gradInitial.row(0, b) + j), n * count);
        if (summed)
            zeroRow(parts(scan.gradConstant.row(0, b) + j), n * count);
    });
    for (std::int64_t s = scan.steps - 1; s >= 0; --s) {
        const std::int64_t t = scan.reverse ? scan.steps - 1 - s : s;
        forRows(columns, scan.width, [&](std::int64_t b, std::int64_t j, std::int64_t n) HWY_ATTR {
            const BackwardRow<R> row{factorRow(scan, t, b, j),
                                     stateBefore(scan, s, b, j),
                                     scan.gradH ? parts(scan.gradH.row(t, b) + j) : nullptr,
                                     parts(scan.gradInitial.row(0, b) + j),
                                     parts((summed ? scan.gradConstant.row(0, b) : scan.gradA.row(t, b)) + j),
                                     parts(scan.gradB.row(t, b) + j)};
            if (scan.mask.real(t, b))
                backwardRow<count == 2, summed>(row, n * count);
            else
                backwardHeldRow<summed>(row, n * count);
        });
    }
}

template <typename T>
void backwardAny(const DiagScanBackward<T, T>& scan, ColumnRange columns)
{
    scan.gradConstant ? backwardColumns<true>(scan, columns) : backwardColumns<false>(scan, columns);
}

using ComplexFloat = ComplexPair<float>;
using ComplexDouble = ComplexPair<double>;

void forwardFloat(const DiagScanForward<float, float>& scan, ColumnRange columns)
{
    forwardColumns(scan, columns);
}
void forwardDouble(const DiagScanForward<double, double>& scan, ColumnRange columns)
{
    forwardColumns(scan, columns);
}
void forwardComplexFloat(const DiagScanForward<ComplexFloat, ComplexFloat>& scan, ColumnRange columns)
{
    forwardColumns(scan, columns);
}
void forwardComplexDouble(const DiagScanForward<ComplexDouble, ComplexDouble>& scan, ColumnRange columns)
{
    forwardColumns(scan, columns);
}
void backwardFloat(const DiagScanBackward<float, float>& scan, ColumnRange columns)
{
    backwardAny(scan, columns);
}
void backwardDouble(const DiagScanBackward<double, double>& scan, ColumnRange columns)
{
    backwardAny(scan, columns);
}
void backwardComplexFloat(const DiagScanBackward<ComplexFloat, ComplexFloat>& scan, ColumnRange columns)
{
    backwardAny(scan, columns);
}
void backwardComplexDouble(const DiagScanBackward<ComplexDouble, ComplexDouble>& scan, ColumnRange columns)
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
HWY_EXPORT(forwardComplexFloat);
HWY_EXPORT(forwardComplexDouble);
HWY_EXPORT(backwardFloat);
HWY_EXPORT(backwardDouble);
HWY_EXPORT(backwardComplexFloat);
HWY_EXPORT(backwardComplexDouble);

template <>
void diagScanForwardCpu(const DiagScanForward<float, float>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardFloat)(scan, columns);
}

template <>
void diagScanForwardCpu(const DiagScanForward<double, double>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardDouble)(scan, columns);
}

template <>
void diagScanForwardCpu(const DiagScanForward<ComplexPair<float>, ComplexPair<float>>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardComplexFloat)(scan, columns);
}

template <>
void diagScanForwardCpu(const DiagScanForward<ComplexPair<double>, ComplexPair<double>>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardComplexDouble)(scan, columns);
}

template <>
void diagScanBackwardCpu(const DiagScanBackward<float, float>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardFloat)(scan, columns);
}

template <>
void diagScanBackwardCpu(const DiagScanBackward<double, double>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardDouble)(scan, columns);
}

template <>
void diagScanBackwardCpu(const DiagScanBackward<ComplexPair<float>, ComplexPair<float>>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardComplexFloat)(scan, columns);
}

template <>
void diagScanBackwardCpu(const DiagScanBackward<ComplexPair<double>, ComplexPair<double>>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardComplexDouble)(scan, columns);
}

} // namespace unroll::kernels
#endif
