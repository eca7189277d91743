// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/delta_scan/delta_scan_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/delta_scan/delta_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/delta_scan/delta_step_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
HWY_INLINE void makeDeltaSum(const T* u, const T* v, T* sum, std::int64_t stride)
{
    copyRow(u, sum, stride);
    addRow(v, sum, stride);
}

/// What a forward walk has in scratch memory: a state (n,m), and rows of values.
template <typename T>
struct DeltaForwardRows {
    HeadMatrix<T> state, v, u, sum, y, next;

    static std::int64_t numbers(std::int64_t keys, std::int64_t values) { return (keys + 5) * headRow<T>(values); }
    DeltaForwardRows(HeadScratch<T>& scratch, std::int64_t keys, std::int64_t values)
        : state(scratch.take(keys, values))
    {
        for (HeadMatrix<T>* row : {&v, &u, &sum, &y, &next})
            *row = scratch.take(1, values);
    }
};

template <bool own, typename T>
void walkDelta(const DeltaScanForward<T, T>& scan, const HeadSteps<DeltaScanForward<T, T>>& head,
               DeltaForwardRows<T>& rows)
{
    const T one = T(1);
    const std::int64_t m = scan.values;
    if (head.steps() > 0)
        deltaFind(rows.state, head.keysOf(scan.z, head.stepOf(0)), scan.keys, rows.u.data);
    for (std::int64_t position = 0; position < head.steps(); ++position) {
        const std::int64_t t = head.stepOf(position), after = head.stepOf(std::min(position + 1, head.steps() - 1));
        copyRow(head.valuesOf(scan.v, t), rows.v.data, m);
        makeDeltaSum(rows.u.data, rows.v.data, rows.sum.data, rows.v.stride);
        const T* w = head.factorsOf(scan.w, t);
        const DeltaForwardStep<T> step{.q = head.keysOf(scan.q, t),
                                       .k = head.keysOf(scan.k, t),
                                       .b = head.keysOf(scan.b, t),
                                       .w = w != nullptr ? w : &one,
                                       .wStep = scan.decays > 1 && w != nullptr ? 1 : 0,
                                       .next = head.keysOf(scan.z, after),
                                       .v = rows.v.data,
                                       .u = rows.u.data,
                                       .sum = rows.sum.data};
        deltaForward<own>(step, rows.state, scan.keys, rows.y.data, rows.next.data);
        copyRow(rows.u.data, head.valuesOf(scan.u, t), m);
        copyRow(rows.y.data, head.valuesOf(scan.y, t), m);
        std::swap(rows.u, rows.next);
    }
}

template <typename T>
void scanColumns(const DeltaScanForward<T, T>& scan, ColumnRange columns)
{
    const std::int64_t n = scan.keys, m = scan.values;
    HeadScratch<T> scratch(DeltaForwardRows<T>::numbers(n, m));
    DeltaForwardRows<T> rows(scratch, n, m);
    std::vector<std::int64_t> steps;
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const HeadSteps<DeltaScanForward<T, T>> head(scan, column, steps);
        const T* initial = head.stateOf(scan.initial);
        for (std::int64_t i = 0; i < n; ++i)
            copyRowOrZero(initial != nullptr ? initial + i * m : nullptr, rows.state.row(i), m);
        scan.b ? walkDelta<false>(scan, head, rows) : walkDelta<true>(scan, head, rows);
        head.clearMasked(scan.y, m);
        head.clearMasked(scan.u, m);
        for (std::int64_t i = 0; i < n; ++i)
            copyRow(rows.state.row(i), head.stateOf(scan.last) + i * m, m);
    }
}

/// What a backward walk has in scratch memory: states (m,n) with a row for each value, and rows of a step.
template <typename T>
struct DeltaBackwardRows {
    DeltaBackwardStep<T> step;
    std::int64_t valueStride;
    HeadMatrix<T> carry, state;                   ///< gradient of the state; a state that is walked along
    std::vector<HeadMatrix<T>> before, beginning; ///< each step of a chunk; each chunk

    static constexpr std::int64_t keyRows = 10, valueRows = 6;

    static std::int64_t numbers(std::int64_t keys, std::int64_t values, std::int64_t chunks)
    {
        return (2 + kHeadChunk + chunks) * values * headRow<T>(keys) + keyRows * headRow<T>(keys) +
               valueRows * headRow<T>(values);
    }
    DeltaBackwardRows(HeadScratch<T>& scratch, std::int64_t keys, std::int64_t values, std::int64_t chunks)
        : valueStride(headRow<T>(values)), carry(scratch.take(values, keys)), state(scratch.take(values, keys))
    {
        for (std::int64_t i = 0; i < kHeadChunk; ++i)
            before.push_back(scratch.take(values, keys));
        for (std::int64_t i = 0; i < chunks; ++i)
            beginning.push_back(scratch.take(values, keys));
        for (T** row :
             {&step.q, &step.k, &step.z, &step.b, &step.w, &step.toQ, &step.toK, &step.toZ, &step.toB, &step.toW})
            *row = scratch.take(1, keys).data;
        for (T** row : {&step.v, &step.u, &step.sum, &step.y, &step.toV, &step.toU})
            *row = scratch.take(1, values).data;
    }
};

/// The walk back over one head.
template <bool own, typename T>
class DeltaBack {
    using Scan = DeltaScanBackward<T, T>;

public:
    DeltaBack(const Scan& scan, const HeadSteps<Scan>& head, DeltaBackwardRows<T>& rows)
        : m_scan(scan), m_head(head), m_rows(rows)
    {}

    void run() const
    {
        turnOver(m_head.stateOf(m_scan.initial), m_rows.state);
        for (std::int64_t position = 0; position < m_head.steps(); ++position) {
            if (position % kHeadChunk == 0)
                copyState(m_rows.state, m_rows.beginning[static_cast<std::size_t>(position / kHeadChunk)]);
            loadStored(m_head.stepOf(position));
            deltaAgain<own>(m_rows.step, m_rows.state, m_rows.state, m_scan.values);
        }
        turnOver(m_head.stateOf(m_scan.gradLast), m_rows.carry);
        for (std::int64_t end = m_head.steps(); end > 0; end = (end - 1) / kHeadChunk * kHeadChunk)
            walkChunk((end - 1) / kHeadChunk * kHeadChunk, end);
        T* to = m_head.stateOf(m_scan.gradInitial);
        for (std::int64_t i = 0; i < m_scan.keys; ++i)
            for (std::int64_t j = 0; j < m_scan.values; ++j)
                to[i * m_scan.values + j] = m_rows.carry.row(j)[i];
    }

private:
    void walkChunk(std::int64_t begin, std::int64_t end) const
    {
        copyState(m_rows.beginning[static_cast<std::size_t>(begin / kHeadChunk)], m_rows.before[0]);
        for (std::int64_t position = begin; position + 1 < end; ++position) {
            const auto at = static_cast<std::size_t>(position - begin);
            loadStored(m_head.stepOf(position));
            deltaAgain<own>(m_rows.step, m_rows.before[at], m_rows.before[at + 1], m_scan.values);
        }
        for (std::int64_t position = end - 1; position >= begin; --position) {
            const std::int64_t t = m_head.stepOf(position);
            loadStored(t);
            loadRead(t);
            deltaBackward<own>(m_rows.step, m_rows.before[static_cast<std::size_t>(position - begin)], m_rows.carry,
                               m_scan.values, m_rows.valueStride);
            storeGradients(t);
        }
    }

    /// What the state is made of at step t.
    HWY_INLINE void loadStored(std::int64_t t) const
    {
        const DeltaBackwardStep<T>& step = m_rows.step;
        copyRow(m_head.keysOf(m_scan.k, t), step.k, m_scan.keys);
        copyRow(own ? step.k : m_head.keysOf(m_scan.b, t), step.b, m_scan.keys);
        const T* w = m_head.factorsOf(m_scan.w, t);
        if (m_scan.decays > 1 && w != nullptr)
            copyRow(w, step.w, m_scan.keys);
        else
            std::fill(step.w, step.w + m_scan.keys, w != nullptr ? *w : T(1));
        copyRow(m_head.valuesOf(m_scan.v, t), step.v, m_scan.values);
        copyRow(m_head.valuesOf(m_scan.u, t), step.u, m_scan.values);
        makeDeltaSum(step.u, step.v, step.sum, m_rows.valueStride);
    }
    HWY_INLINE void loadRead(std::int64_t t) const
    {
        const DeltaBackwardStep<T>& step = m_rows.step;
        copyRow(m_head.keysOf(m_scan.q, t), step.q, m_scan.keys);
        copyRow(m_head.keysOf(m_scan.z, t), step.z, m_scan.keys);
        copyRowOrZero<T>(m_head.valuesOf(m_scan.gradY, t), step.y, m_scan.values);
        copyRowOrZero<T>(m_head.valuesOf(m_scan.gradU, t), step.toU, m_scan.values);
    }
    HWY_INLINE void storeGradients(std::int64_t t) const
    {
        const DeltaBackwardStep<T>& step = m_rows.step;
        copyRow(step.toQ, m_head.keysOf(m_scan.gradQ, t), m_scan.keys);
        copyRow(step.toK, m_head.keysOf(m_scan.gradK, t), m_scan.keys);
        copyRow(step.toZ, m_head.keysOf(m_scan.gradZ, t), m_scan.keys);
        copyRow(step.toV, m_head.valuesOf(m_scan.gradV, t), m_scan.values);
        if (!own)
            copyRow(step.toB, m_head.keysOf(m_scan.gradB, t), m_scan.keys);
        T* w = m_head.factorsOf(m_scan.gradW, t);
        if (w == nullptr)
            return;
        if (m_scan.decays > 1)
            return copyRow(step.toW, w, m_scan.keys);
        *w = T(0);
        for (std::int64_t i = 0; i < m_scan.keys; ++i)
            *w += step.toW[i];
    }

    /// to (m,n) = from (n,m), or zeros
    HWY_INLINE void turnOver(const T* from, HeadMatrix<T> to) const
    {
        for (std::int64_t j = 0; j < m_scan.values; ++j)
            for (std::int64_t i = 0; i < m_scan.keys; ++i)
                to.row(j)[i] = from != nullptr ? from[i * m_scan.values + j] : T(0);
    }
    HWY_INLINE void copyState(HeadMatrix<T> from, HeadMatrix<T> to) const
    {
        copyRow(from.data, to.data, m_scan.values * from.stride);
    }

    const Scan& m_scan;
    const HeadSteps<Scan>& m_head;
    DeltaBackwardRows<T>& m_rows;
};

template <typename T>
void scanColumns(const DeltaScanBackward<T, T>& scan, ColumnRange columns)
{
    const std::int64_t n = scan.keys, m = scan.values, chunks = (scan.steps + kHeadChunk - 1) / kHeadChunk;
    HeadScratch<T> scratch(DeltaBackwardRows<T>::numbers(n, m, chunks));
    DeltaBackwardRows<T> rows(scratch, n, m, chunks);
    std::vector<std::int64_t> steps;
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const HeadSteps<DeltaScanBackward<T, T>> head(scan, column, steps);
        scan.b ? DeltaBack<false, T>(scan, head, rows).run() : DeltaBack<true, T>(scan, head, rows).run();
        for (const Rows<T>* gradient : {&scan.gradQ, &scan.gradK, &scan.gradZ, &scan.gradB})
            head.clearMasked(*gradient, n);
        head.clearMasked(scan.gradV, m);
        head.clearMasked(scan.gradW, scan.decays);
    }
}

void scanAny(const DeltaScanPass& pass, ColumnRange columns)
{
    std::visit([&](const auto* scan) HWY_ATTR { scanColumns(*scan, columns); }, pass);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(DeltaScanPass)
#endif
