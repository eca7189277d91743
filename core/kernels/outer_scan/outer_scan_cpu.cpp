// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/outer_scan/outer_scan_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/outer_scan/outer_scan_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/outer_scan/outer_chunk_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// One head of one sequence, and its steps that are not masked, in the order of the forward walk.
template <class Scan>
class OuterHead {
public:
    using T = typename Scan::StateType;

    OuterHead(const Scan& scan, std::int64_t column, std::vector<std::int64_t>& steps)
        : m_scan(scan), m_batch(column / scan.heads), m_head(column % scan.heads), m_steps(steps)
    {
        steps.clear();
        for (std::int64_t position = 0; position < scan.steps; ++position)
            if (const std::int64_t t = scan.at(position).step; scan.mask.real(t, m_batch))
                steps.push_back(t);
    }

    std::int64_t chunks() const { return (realSteps() + kOuterChunk - 1) / kOuterChunk; }

    /// A head's part of a step's row.
    template <typename U>
    HWY_INLINE U* queryOf(const Rows<U>& rows, std::int64_t t) const
    {
        return rows.row(t, m_batch) + m_scan.firstKey(m_head);
    }
    template <typename U>
    HWY_INLINE U* valueOf(const Rows<U>& rows, std::int64_t t) const
    {
        return rows.row(t, m_batch) + m_scan.firstValue(m_head);
    }
    template <typename U>
    HWY_INLINE U* decayOf(const Rows<U>& rows, std::int64_t t) const
    {
        return rows.row(t, m_batch) + m_scan.firstDecay(m_head);
    }

    /// Step `s` of a chunk.
    std::int64_t stepOf(std::int64_t chunk, std::int64_t s) const
    {
        return m_steps[static_cast<std::size_t>(chunk * kOuterChunk + s)];
    }

    HWY_INLINE void load(std::int64_t number, OuterChunk<T>& chunk) const
    {
        chunk.steps = std::min(kOuterChunk, realSteps() - number * kOuterChunk);
        chunk.each = m_scan.decays > 1;
        for (std::int64_t s = 0; s < chunk.steps; ++s) {
            const std::int64_t t = stepOf(number, s);
            copyRow(queryOf(m_scan.q, t), chunk.q.row(s), m_scan.keys);
            copyRow(queryOf(m_scan.k, t), chunk.k.row(s), m_scan.keys);
            copyRow(valueOf(m_scan.v, t), chunk.v.row(s), m_scan.values);
            loadDecay(t, chunk.a.row(s), chunk.a.stride);
        }
        chunk.prepare(m_scan.keys);
    }

    /// A state (n,m) in scratch memory, zeros where `from` is absent; and back.
    HWY_INLINE void loadState(const Rows<const T>& from, OuterMatrix<T> state) const
    {
        const T* numbers = rowOrNull(from, 0, m_batch, m_scan.firstState(m_head));
        for (std::int64_t i = 0; i < m_scan.keys; ++i)
            copyRowOrZero(numbers != nullptr ? numbers + i * m_scan.values : nullptr, state.row(i), m_scan.values);
    }
    HWY_INLINE void storeState(OuterMatrix<T> state, const Rows<T>& to) const
    {
        T* numbers = to.row(0, m_batch) + m_scan.firstState(m_head);
        for (std::int64_t i = 0; i < m_scan.keys; ++i)
            copyRow(state.row(i), numbers + i * m_scan.values, m_scan.values);
    }

    /// Zeros at masked steps, of an output (T,B,...) whose heads have `count` numbers each.
    HWY_INLINE void clearMasked(const Rows<T>& rows, std::int64_t count) const
    {
        if (!rows || realSteps() == m_scan.steps)
            return;
        for (std::int64_t t = 0; t < m_scan.steps; ++t)
            if (!m_scan.mask.real(t, m_batch))
                zeroRow(rows.row(t, m_batch) + m_head * count, count);
    }

    /// The gradients of a decay at step t, of all keys: written where it has a time, else added to its sum.
    HWY_INLINE void storeDecay(std::int64_t t, const T* gradient) const
    {
        T* to = m_scan.a ? decayOf(m_scan.gradA, t) : sums();
        if (to == nullptr)
            return;
        if (m_scan.decays > 1)
            return m_scan.a ? copyRow(gradient, to, m_scan.keys) : addRow(gradient, to, m_scan.keys);
        T sum = T(0);
        for (std::int64_t i = 0; i < m_scan.keys; ++i)
            sum += gradient[i];
        *to = m_scan.a ? sum : *to + sum;
    }
    HWY_INLINE void clearSums() const
    {
        if (T* to = sums())
            zeroRow(to, m_scan.decays);
    }

private:
    std::int64_t realSteps() const { return static_cast<std::int64_t>(m_steps.size()); }
    T* sums() const { return rowOrNull(m_scan.gradConstant, 0, m_batch, m_scan.firstDecay(m_head)); }

    HWY_INLINE void loadDecay(std::int64_t t, T* to, std::int64_t stride) const
    {
        const T* from = m_scan.a ? decayOf(m_scan.a, t) : m_scan.constant ? decayOf(m_scan.constant, 0) : nullptr;
        if (m_scan.decays > 1)
            return copyRow(from, to, m_scan.keys);
        std::fill(to, to + stride, from != nullptr ? *from : T(1));
    }

    const Scan& m_scan;
    std::int64_t m_batch, m_head;
    const std::vector<std::int64_t>& m_steps;
};

template <typename T>
void scanColumns(const OuterScanForward<T, T>& scan, ColumnRange columns)
{
    const std::int64_t n = scan.keys, m = scan.values;
    OuterScratch<T> scratch(OuterChunk<T>::numbers(n, m) + (outerRow<T>(n) + kOuterChunk) * outerRow<T>(m));
    OuterChunk<T> chunk(scratch, n, m);
    const OuterMatrix<T> state = scratch.take(outerRow<T>(n), m), y = scratch.take(kOuterChunk, m);
    std::vector<std::int64_t> steps;
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const OuterHead<OuterScanForward<T, T>> head(scan, column, steps);
        head.loadState(scan.initial, state);
        for (std::int64_t number = 0; number < head.chunks(); ++number) {
            head.load(number, chunk);
            chunk.read(state, n, y);
            chunk.pass(state, n);
            for (std::int64_t s = 0; s < chunk.steps; ++s)
                copyRow(y.row(s), head.valueOf(scan.y, head.stepOf(number, s)), m);
        }
        head.clearMasked(scan.y, m);
        head.storeState(state, scan.last);
    }
}

/// The states before each chunk of a head, by walking forward.
template <class Head, typename T>
void walkStates(const OuterScanBackward<T, T>& scan, const Head& head, OuterChunk<T>& chunk, OuterMatrix<T>* states)
{
    head.loadState(scan.initial, states[0]);
    for (std::int64_t number = 0; number + 1 < head.chunks(); ++number) {
        head.load(number, chunk);
        copyRow(states[number].data, states[number + 1].data, scan.keys * states[number].stride);
        chunk.pass(states[number + 1], scan.keys);
    }
}

template <class Head, typename T>
void storeGradients(const OuterScanBackward<T, T>& scan, const Head& head, std::int64_t number,
                    const OuterChunk<T>& chunk, const OuterChunkGradients<T>& gradients)
{
    for (std::int64_t s = chunk.steps - 1; s >= 0; --s) {
        const std::int64_t t = head.stepOf(number, s);
        copyRow(gradients.q.row(s), head.queryOf(scan.gradQ, t), scan.keys);
        copyRow(gradients.k.row(s), head.queryOf(scan.gradK, t), scan.keys);
        copyRow(gradients.v.row(s), head.valueOf(scan.gradV, t), scan.values);
        head.storeDecay(t, gradients.a.row(s));
    }
}

template <typename T>
void scanColumns(const OuterScanBackward<T, T>& scan, ColumnRange columns)
{
    const std::int64_t n = scan.keys, m = scan.values, size = outerRow<T>(n) * outerRow<T>(m);
    const std::int64_t most = std::max<std::int64_t>(1, (scan.steps + kOuterChunk - 1) / kOuterChunk);
    OuterScratch<T> scratch(OuterChunk<T>::numbers(n, m) + OuterChunkGradients<T>::numbers(n, m) + (most + 1) * size);
    OuterChunk<T> chunk(scratch, n, m);
    OuterChunkGradients<T> gradients(scratch, n, m);
    const OuterMatrix<T> carry = scratch.take(outerRow<T>(n), m);
    std::vector<OuterMatrix<T>> states;
    for (std::int64_t number = 0; number < most; ++number)
        states.push_back(scratch.take(outerRow<T>(n), m));
    std::vector<std::int64_t> steps;
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const OuterHead<OuterScanBackward<T, T>> head(scan, column, steps);
        walkStates(scan, head, chunk, states.data());
        head.loadState(scan.gradLast, carry);
        head.clearSums();
        for (std::int64_t number = head.chunks() - 1; number >= 0; --number) {
            head.load(number, chunk);
            for (std::int64_t s = 0; s < chunk.steps; ++s)
                copyRowOrZero(scan.gradY ? head.valueOf(scan.gradY, head.stepOf(number, s)) : nullptr,
                              gradients.y.row(s), m);
            gradients.make(chunk, states[static_cast<std::size_t>(number)], carry, n, m);
            storeGradients(scan, head, number, chunk, gradients);
        }
        head.clearMasked(scan.gradQ, n);
        head.clearMasked(scan.gradK, n);
        head.clearMasked(scan.gradV, m);
        head.clearMasked(scan.gradA, scan.decays);
        head.storeState(carry, scan.gradInitial);
    }
}

void scanAny(const OuterScanPass& pass, ColumnRange columns)
{
    std::visit([&](const auto* scan) HWY_ATTR { scanColumns(*scan, columns); }, pass);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(OuterScanPass)
#endif
