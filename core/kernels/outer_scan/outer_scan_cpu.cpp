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

/// A head's steps in chunks.
template <class Scan>
class OuterHead : public HeadSteps<Scan> {
    using Base = HeadSteps<Scan>;
    using Base::m_batch, Base::m_head, Base::m_scan;

public:
    using Base::Base, Base::factorsOf, Base::keysOf, Base::stateOf, Base::valuesOf;
    using typename Base::T;

    std::int64_t chunks() const { return (this->steps() + kHeadChunk - 1) / kHeadChunk; }
    /// Step `s` of a chunk.
    std::int64_t stepOf(std::int64_t chunk, std::int64_t s) const { return Base::stepOf(chunk * kHeadChunk + s); }

    HWY_INLINE void load(std::int64_t number, OuterChunk<T>& chunk) const
    {
        chunk.steps = std::min(kHeadChunk, this->steps() - number * kHeadChunk);
        chunk.each = m_scan.decays > 1;
        for (std::int64_t s = 0; s < chunk.steps; ++s) {
            const std::int64_t t = stepOf(number, s);
            copyRow(keysOf(m_scan.q, t), chunk.q.row(s), m_scan.keys);
            copyRow(keysOf(m_scan.k, t), chunk.k.row(s), m_scan.keys);
            copyRow(valuesOf(m_scan.v, t), chunk.v.row(s), m_scan.values);
            loadDecay(t, chunk.a.row(s), chunk.a.stride);
        }
        chunk.prepare(m_scan.keys);
    }

    /// A state (n,m) in scratch memory, zeros where `from` is absent; and back.
    HWY_INLINE void loadState(const Rows<const T>& from, HeadMatrix<T> state) const
    {
        const T* numbers = stateOf(from);
        for (std::int64_t i = 0; i < m_scan.keys; ++i)
            copyRowOrZero(numbers != nullptr ? numbers + i * m_scan.values : nullptr, state.row(i), m_scan.values);
    }
    HWY_INLINE void storeState(HeadMatrix<T> state, const Rows<T>& to) const
    {
        T* numbers = stateOf(to);
        for (std::int64_t i = 0; i < m_scan.keys; ++i)
            copyRow(state.row(i), numbers + i * m_scan.values, m_scan.values);
    }

    /// The gradients of a decay at step t, of all keys: written where it has a time, else added to its sum.
    HWY_INLINE void storeDecay(std::int64_t t, const T* gradient) const
    {
        T* to = m_scan.a ? factorsOf(m_scan.gradA, t) : sums();
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
    T* sums() const { return factorsOf(m_scan.gradConstant, 0); }

    HWY_INLINE void loadDecay(std::int64_t t, T* to, std::int64_t stride) const
    {
        const T* from = m_scan.a ? factorsOf(m_scan.a, t) : factorsOf(m_scan.constant, 0);
        if (m_scan.decays > 1)
            return copyRow(from, to, m_scan.keys);
        std::fill(to, to + stride, from != nullptr ? *from : T(1));
    }
};

template <typename T>
void scanColumns(const OuterScanForward<T, T>& scan, ColumnRange columns)
{
    const std::int64_t n = scan.keys, m = scan.values;
    HeadScratch<T> scratch(OuterChunk<T>::numbers(n, m) + (headRow<T>(n) + kHeadChunk) * headRow<T>(m));
    OuterChunk<T> chunk(scratch, n, m);
    const HeadMatrix<T> state = scratch.take(headRow<T>(n), m), y = scratch.take(kHeadChunk, m);
    std::vector<std::int64_t> steps;
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const OuterHead<OuterScanForward<T, T>> head(scan, column, steps);
        head.loadState(scan.initial, state);
        for (std::int64_t number = 0; number < head.chunks(); ++number) {
            head.load(number, chunk);
            chunk.read(state, n, y);
            chunk.pass(state, n);
            for (std::int64_t s = 0; s < chunk.steps; ++s)
                copyRow(y.row(s), head.valuesOf(scan.y, head.stepOf(number, s)), m);
        }
        head.clearMasked(scan.y, m);
        head.storeState(state, scan.last);
    }
}

/// The states before each chunk of a head, by walking forward.
template <class Head, typename T>
void walkStates(const OuterScanBackward<T, T>& scan, const Head& head, OuterChunk<T>& chunk, HeadMatrix<T>* states)
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
        copyRow(gradients.q.row(s), head.keysOf(scan.gradQ, t), scan.keys);
        copyRow(gradients.k.row(s), head.keysOf(scan.gradK, t), scan.keys);
        copyRow(gradients.v.row(s), head.valuesOf(scan.gradV, t), scan.values);
        head.storeDecay(t, gradients.a.row(s));
    }
}

template <typename T>
void scanColumns(const OuterScanBackward<T, T>& scan, ColumnRange columns)
{
    const std::int64_t n = scan.keys, m = scan.values, size = headRow<T>(n) * headRow<T>(m);
    const std::int64_t most = std::max<std::int64_t>(1, (scan.steps + kHeadChunk - 1) / kHeadChunk);
    HeadScratch<T> scratch(OuterChunk<T>::numbers(n, m) + OuterChunkGradients<T>::numbers(n, m) + (most + 1) * size);
    OuterChunk<T> chunk(scratch, n, m);
    OuterChunkGradients<T> gradients(scratch, n, m);
    const HeadMatrix<T> carry = scratch.take(headRow<T>(n), m);
    std::vector<HeadMatrix<T>> states;
    for (std::int64_t number = 0; number < most; ++number)
        states.push_back(scratch.take(headRow<T>(n), m));
    std::vector<std::int64_t> steps;
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const OuterHead<OuterScanBackward<T, T>> head(scan, column, steps);
        walkStates(scan, head, chunk, states.data());
        head.loadState(scan.gradLast, carry);
        head.clearSums();
        for (std::int64_t number = head.chunks() - 1; number >= 0; --number) {
            head.load(number, chunk);
            for (std::int64_t s = 0; s < chunk.steps; ++s)
                copyRowOrZero(head.valuesOf(scan.gradY, head.stepOf(number, s)), gradients.y.row(s), m);
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
