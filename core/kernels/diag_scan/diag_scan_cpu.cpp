// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/diag_scan/diag_scan_params.h"

#include "core/kernels/common/scan_on_cpu.h"

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

template <typename T>
HWY_INLINE ReadRow<typename Parts<T>::Real> parts(const ReadRow<T>& row)
{
    return {parts(row.data), row.ahead * Parts<T>::count};
}

template <typename T>
HWY_INLINE WrittenRow<typename Parts<T>::Real> parts(const WrittenRow<T>& row)
{
    return {parts(row.data), row.streamed};
}

template <typename R>
struct ForwardRow {
    ReadRow<R> a;
    ReadRow<R> b;
    R* state;
    WrittenRow<R> h;
};

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
using Element = std::conditional_t<pairs, ComplexPair<R>, R>;

template <typename T, typename R>
T element(const R* row, std::int64_t j)
{
    return row != nullptr ? reinterpret_cast<const T*>(row)[j] : T(R(0));
}

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

/// A piece of a row, or of the row of a that serves all steps, as real numbers.
template <typename T>
HWY_INLINE auto partsOf(const RowPiece& at, const Rows<T>& rows)
{
    return parts(at.of(rows));
}

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
