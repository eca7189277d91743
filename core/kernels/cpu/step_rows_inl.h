// SPDX-License-Identifier: GPL-3.0-or-later
// What kernels share that walk whole sequences, a matrix product a step. Included once for each CPU target.

#if defined(UNROLL_STEP_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_STEP_ROWS_INL_H
#undef UNROLL_STEP_ROWS_INL_H
#else
#define UNROLL_STEP_ROWS_INL_H
#endif

#include "core/kernels/cpu/lanes_inl.h"
#include "core/kernels/cpu/packed_product_inl.h"
#include "core/kernels/scan/scan_domain.h"

#include <vector>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {

/// Sequences [begin, end) of a batch.
struct Sequences {
    std::int64_t begin, count;

    explicit Sequences(ColumnRange range) : begin(range.begin), count(range.end - range.begin) {}

    /// Their rows of an array (T,B,d), or of a (B,d) one; of one that is absent, none.
    template <typename T>
    StepRows<T> of(const Rows<T>& rows, std::int64_t step) const
    {
        return rows ? StepRows<T>{rows.row(step, begin), rows.batchStride} : StepRows<T>{};
    }

    /// The state before a step, of states (T,B,d) after each step.
    template <typename T>
    StepRows<const T> before(const WalkStep& walk, StepRows<const T> initial, const Rows<const T>& states) const
    {
        return walk.first ? initial : of(states, walk.before);
    }

    bool real(const ScanDomain& scan, const WalkStep& walk, std::int64_t b) const
    {
        return scan.mask.real(walk.step, begin + b);
    }
};

/// scanAs(scan, sequences) with the scan that the pass holds, of states that have a width.
template <class Pass, class ScanAs>
void scanSequences(const Pass& pass, ColumnRange sequences, const ScanAs& scanAs)
{
    std::visit(
        [&](const auto* scan) HWY_ATTR {
            if (scan->width > 0)
                scanAs(*scan, Sequences(sequences));
        },
        pass);
}

/// Rows of a thread's own, zeros at first, wide enough for the whole panels of a product.
template <typename T>
class ScratchRows {
public:
    ScratchRows(std::int64_t count, std::int64_t columns)
        : m_stride(wholePanels(columns)), m_numbers(static_cast<std::size_t>(count * m_stride))
    {}
    T* row(std::int64_t b) { return m_numbers.data() + b * m_stride; }
    StepRows<T> rows() { return {m_numbers.data(), m_stride}; }

private:
    std::int64_t m_stride;
    std::vector<T> m_numbers;
};

/// addProduct, where there is something to multiply.
template <typename T>
void addProductOf(std::type_identity_t<StepRows<const T>> from, std::int64_t count, const PackedMatrix<T>& matrix,
                  StepRows<T> to)
{
    if (from.data != nullptr)
        addProduct(from, count, matrix, to);
}

/// to = from, or zeros where that is absent.
template <typename T>
void copyRowsOrZero(std::type_identity_t<StepRows<const T>> from, std::int64_t count, StepRows<T> to,
                    std::int64_t width)
{
    for (std::int64_t b = 0; b < count; ++b)
        copyRowOrZero(from.rowOrNull(b), to.row(b), width);
}

/// out = start + from matrix, where there is something to multiply. The sums begin where `start` lies, or where that
/// does not fill whole panels, from a copy of it.
template <typename T>
void addProductTo(std::type_identity_t<StepRows<const T>> start, std::type_identity_t<StepRows<const T>> from,
                  std::int64_t count, const PackedMatrix<T>& matrix, StepRows<T> out)
{
    if (from.data != nullptr && matrix.columns % kPanelColumns == 0)
        return makeProduct(from, count, matrix, start, out);
    copyRowsOrZero(start, count, out, matrix.columns);
    addProductOf(from, count, matrix, out);
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_STEP_ROWS_INL_H
