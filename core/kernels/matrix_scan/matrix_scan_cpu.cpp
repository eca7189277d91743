// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_target_choice.h"

#include "core/kernels/matrix_scan/matrix_scan_cpu.h"

#include "core/kernels/common/flush_denormals.h"

#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/matrix_scan/matrix_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/common/lanes_inl.h"
#include "core/kernels/matrix_scan/matrix_product_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// Calls body(batch, offset) for each matrix that the columns cover; `offset` is where it begins among those of its step and sequence.
template <class Body>
HWY_INLINE void forMatrices(ColumnRange columns, std::int64_t heads, std::int64_t elements, const Body& body)
{
    forRows(columns, heads, [&](std::int64_t b, std::int64_t head, std::int64_t count) HWY_ATTR {
        for (std::int64_t i = head; i < head + count; ++i)
            body(b, i * elements);
    });
}

/// The matrices before the s-th step of the walk.
template <class Scan>
HWY_INLINE auto matricesBefore(const Scan& scan, std::int64_t s, std::int64_t b)
{
    return s > 0 ? static_cast<decltype(scan.initial.data)>(scan.h.row(stepBefore(scan, s), b))
                 : scan.initial.row(0, b);
}

template <class Product, typename T>
void forwardColumns(const MatrixScanForward<T, T>& scan, ColumnRange columns, const Product& product)
{
    const std::int64_t n = product.size(), heads = scan.width / n, elements = n * n;
    for (std::int64_t s = 0; s < scan.steps; ++s) {
        const std::int64_t t = scan.reverse ? scan.steps - 1 - s : s;
        forMatrices(columns, heads, elements, [&](std::int64_t b, std::int64_t at) HWY_ATTR {
            const T* before = matricesBefore(scan, s, b) + at;
            if (scan.mask.real(t, b))
                product(before, {n, 1}, scan.m.row(t, b) + at, scan.h.row(t, b) + at);
            else
                copyRow(before, scan.h.row(t, b) + at, elements);
        });
    }
    forMatrices(columns, heads, elements, [&](std::int64_t b, std::int64_t at) HWY_ATTR {
        copyRow(matricesBefore(scan, scan.steps, b) + at, scan.last.row(0, b) + at, elements);
    });
}

/// to = left + right, an absent (nullptr) right counting as zeros
template <typename T>
HWY_INLINE void sumRows(const T* left, const T* right, T* to, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        lanes.store(d, hn::Add(lanes.load(d, left + j), loadOrZero(d, lanes, right, j)), to + j);
    });
}

template <class Product, typename T>
void backwardColumns(const MatrixScanBackward<T, T>& scan, ColumnRange columns, const Product& product)
{
    const std::int64_t n = product.size(), heads = scan.width / n, elements = n * n;
    std::vector<T> scratch(static_cast<std::size_t>(2 * elements));
    T *const grad = scratch.data(), *const transposed = grad + elements;
    forMatrices(columns, heads, elements, [&](std::int64_t b, std::int64_t at) HWY_ATTR {
        copyRowOrZero(rowOrNull(scan.gradLast, 0, b, at), scan.gradInitial.row(0, b) + at, elements);
    });
    for (std::int64_t s = scan.steps - 1; s >= 0; --s) {
        const std::int64_t t = scan.reverse ? scan.steps - 1 - s : s;
        forMatrices(columns, heads, elements, [&](std::int64_t b, std::int64_t at) HWY_ATTR {
            T *const carry = scan.gradInitial.row(0, b) + at, *const gradM = scan.gradM.row(t, b) + at;
            const T* gradH = rowOrNull(scan.gradH, t, b, at);
            if (!scan.mask.real(t, b)) {
                sumRows(carry, gradH, carry, elements);
                return zeroRow(gradM, elements);
            }
            transpose(scan.m.row(t, b) + at, transposed, n); // early: it is stored in narrower pieces than it is read
            sumRows(carry, gradH, grad, elements);
            product(matricesBefore(scan, s, b) + at, {1, n}, grad, gradM);
            product(grad, {n, 1}, transposed, carry);
        });
    }
}

template <typename T>
void forwardAny(const MatrixScanForward<T, T>& scan, ColumnRange columns)
{
    withProduct(scan.size, [&](auto product) HWY_ATTR { forwardColumns(scan, columns, product); });
}

template <typename T>
void backwardAny(const MatrixScanBackward<T, T>& scan, ColumnRange columns)
{
    withProduct(scan.size, [&](auto product) HWY_ATTR { backwardColumns(scan, columns, product); });
}

void forwardFloat(const MatrixScanForward<float, float>& scan, ColumnRange columns)
{
    forwardAny(scan, columns);
}
void forwardDouble(const MatrixScanForward<double, double>& scan, ColumnRange columns)
{
    forwardAny(scan, columns);
}
void backwardFloat(const MatrixScanBackward<float, float>& scan, ColumnRange columns)
{
    backwardAny(scan, columns);
}
void backwardDouble(const MatrixScanBackward<double, double>& scan, ColumnRange columns)
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

template <>
void matrixScanForwardCpu(const MatrixScanForward<float, float>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardFloat)(scan, columns);
}

template <>
void matrixScanForwardCpu(const MatrixScanForward<double, double>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(forwardDouble)(scan, columns);
}

template <>
void matrixScanBackwardCpu(const MatrixScanBackward<float, float>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardFloat)(scan, columns);
}

template <>
void matrixScanBackwardCpu(const MatrixScanBackward<double, double>& scan, ColumnRange columns)
{
    const FlushDenormals flush;
    HWY_DYNAMIC_DISPATCH(backwardDouble)(scan, columns);
}

} // namespace unroll::kernels
#endif
