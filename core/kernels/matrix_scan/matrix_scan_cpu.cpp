// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/matrix_scan/matrix_scan_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/matrix_scan/matrix_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cpu/walk_steps_inl.h"
#include "core/kernels/matrix_scan/matrix_product_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// Calls body(piece) for each matrix of a piece, whose units are heads; the piece that it gets counts numbers.
template <class Body>
HWY_INLINE void eachMatrix(const RowPiece& heads, std::int64_t elements, const Body& body)
{
    for (std::int64_t head = heads.unit; head < heads.unit + heads.count; ++head)
        body(heads.piece(head * elements, elements));
}

template <class Product, typename T>
void scanWith(const MatrixScanForward<T, T>& scan, ColumnRange columns, const Product& product)
{
    const std::int64_t n = product.size(), elements = n * n;
    walkSteps(scan, columns, [&](const RowPiece& heads) HWY_ATTR {
        eachMatrix(heads, elements, [&](const RowPiece& at) HWY_ATTR {
            const T* before = at.before(scan.h, scan.initial).data;
            if (at.real)
                product(before, {n, 1}, at.of(scan.m), at.of(scan.h));
            else
                copyRow(before, at.of(scan.h), elements);
        });
    });
    atEndOfWalk(scan, columns, [&](const RowPiece& heads) HWY_ATTR {
        eachMatrix(heads, elements, [&](const RowPiece& at) HWY_ATTR {
            copyRow(at.before(scan.h, scan.initial).data, at.of(scan.last), elements);
        });
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
void scanWith(const MatrixScanBackward<T, T>& scan, ColumnRange columns, const Product& product)
{
    const std::int64_t n = product.size(), elements = n * n;
    std::vector<T> scratch(static_cast<std::size_t>(2 * elements));
    T *const grad = scratch.data(), *const transposed = grad + elements;
    eachRow(scan, columns, [&](const RowPiece& heads) HWY_ATTR {
        eachMatrix(heads, elements, [&](const RowPiece& at) HWY_ATTR {
            copyRowOrZero(at.of(scan.gradLast), at.of(scan.gradInitial), elements);
        });
    });
    walkStepsBack(scan, columns, [&](const RowPiece& heads) HWY_ATTR {
        eachMatrix(heads, elements, [&](const RowPiece& at) HWY_ATTR {
            T *const carry = at.of(scan.gradInitial), *const gradM = at.of(scan.gradM);
            const T* gradH = at.of(scan.gradH);
            if (!at.real) {
                sumRows(carry, gradH, carry, elements);
                return zeroRow(gradM, elements);
            }
            transpose(at.of(scan.m), transposed, n); // early: it is stored in narrower pieces than it is read
            sumRows(carry, gradH, grad, elements);
            product(at.before(scan.h, scan.initial).data, {1, n}, grad, gradM);
            product(grad, {n, 1}, transposed, carry);
        });
    });
}

void scanAny(const MatrixScanPass& pass, ColumnRange columns)
{
    std::visit(
        [&](const auto* scan)
            HWY_ATTR { withProduct(scan->size, [&](auto product) HWY_ATTR { scanWith(*scan, columns, product); }); },
        pass);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(MatrixScanPass)
#endif
