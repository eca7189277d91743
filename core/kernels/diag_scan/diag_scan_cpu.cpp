// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/diag_scan/diag_scan_cpu.h"

#include "core/kernels/common/flush_denormals.h"

#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/diag_scan/diag_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/walk_steps_inl.h"

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

/// A piece of a row, or of the row of a that serves all steps, as real numbers.
template <typename T>
HWY_INLINE auto partsOf(const RowPiece& at, const Rows<T>& rows)
{
    return parts(at.of(rows));
}

template <typename T>
HWY_INLINE auto factorOf(const RowPiece& at, const DiagScanInputs<T, T>& scan)
{
    return scan.a ? partsOf(at, scan.a) : partsOf(at, scan.constant);
}

/// The state before each step is read from `h`, and so is the last: nothing is written twice.
template <typename T>
void scanColumns(const DiagScanForward<T, T>& scan, ColumnRange columns)
{
    constexpr int numbers = Parts<T>::count;
    walkSteps(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        const auto* before = parts(at.before(scan.h, scan.initial));
        if (at.real)
            forwardRow<numbers == 2>(factorOf(at, scan), before, partsOf(at, scan.b), partsOf(at, scan.h),
                                     at.count * numbers);
        else
            copyRowOrZero(before, partsOf(at, scan.h), at.count * numbers);
    });
    atEndOfWalk(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        copyRowOrZero(parts(at.before(scan.h, scan.initial)), partsOf(at, scan.last), at.count * numbers);
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
    constexpr int numbers = Parts<T>::count;
    eachRow(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        copyRowOrZero(partsOf(at, scan.gradLast), partsOf(at, scan.gradInitial), at.count * numbers);
        if (summed)
            zeroRow(partsOf(at, scan.gradConstant), at.count * numbers);
    });
    walkStepsBack(scan, columns, [&](const RowPiece& at) HWY_ATTR {
        const BackwardRow<R> row{factorOf(at, scan),
                                 parts(at.before(scan.h, scan.initial)),
                                 partsOf(at, scan.gradH),
                                 partsOf(at, scan.gradInitial),
                                 summed ? partsOf(at, scan.gradConstant) : partsOf(at, scan.gradA),
                                 partsOf(at, scan.gradB)};
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
namespace unroll::kernels {

HWY_EXPORT(scanAny);

void scanOnCpu(const DiagScanPass& pass, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(scanAny)(pass, columns);
}

} // namespace unroll::kernels
#endif
