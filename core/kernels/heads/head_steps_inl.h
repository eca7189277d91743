// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU halves of outer_scan and delta_scan share: one head of one sequence, step after step, and matrices in a
// core's cache. Included once for each CPU target.

#if defined(UNROLL_HEAD_STEPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_HEAD_STEPS_INL_H
#undef UNROLL_HEAD_STEPS_INL_H
#else
#define UNROLL_HEAD_STEPS_INL_H
#endif

#include "core/kernels/cpu/lanes_inl.h"
#include "core/kernels/cpu/packed_product_inl.h"
#include "core/kernels/cpu/transposed_inl.h"
#include "core/kernels/heads/head_domain.h"

#include <cstdint>
#include <memory>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
inline constexpr auto kHeadLanes = static_cast<std::int64_t>(hn::MaxLanes(TileLanes<T>()));

/// `count` filled up to whole vectors, and to what is turned over at a time.
template <typename T>
constexpr std::int64_t headRow(std::int64_t count)
{
    constexpr std::int64_t unit = kHeadLanes < T >> kTransposedTogether ? kHeadLanes<T> : kTransposedTogether;
    return (count + unit - 1) / unit * unit;
}

/// A matrix in scratch memory: rows of whole vectors, one behind the other; what lies behind their numbers is 0.
template <typename T>
struct HeadMatrix {
    T* data = nullptr;
    std::int64_t stride = 0;

    HWY_INLINE T* row(std::int64_t i) const { return data + i * stride; }
};

/// Memory for some matrices, zeros at first. Rows begin where a vector of the widest kind may be read at once.
template <typename T>
class HeadScratch {
public:
    explicit HeadScratch(std::int64_t numbers)
        : m_memory(new T[static_cast<std::size_t>(numbers + kPerLine)]()), m_next(m_memory.get())
    {
        while (reinterpret_cast<std::uintptr_t>(m_next) % kLineBytes != 0)
            ++m_next;
    }
    HeadMatrix<T> take(std::int64_t rows, std::int64_t columns)
    {
        const HeadMatrix<T> matrix{m_next, headRow<T>(columns)};
        m_next += rows * matrix.stride;
        return matrix;
    }

private:
    static constexpr std::uintptr_t kLineBytes = 64;
    static constexpr std::int64_t kPerLine = kLineBytes / sizeof(T);

    std::unique_ptr<T[]> m_memory;
    T* m_next;
};

/// The sum of left[i] right[i] over whole vectors.
template <typename T>
HWY_INLINE T headDot(const T* left, const T* right, std::int64_t stride)
{
    const TileLanes<T> d;
    auto sum = hn::Zero(d);
    for (std::int64_t i = 0; i < stride; i += kHeadLanes<T>)
        sum = hn::MulAdd(hn::LoadU(d, left + i), hn::LoadU(d, right + i), sum);
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

/// One head of one sequence, and its steps that are not masked, in the order of the forward walk.
template <class Scan>
class HeadSteps {
public:
    using T = typename Scan::StateType;

    HeadSteps(const Scan& scan, std::int64_t column, std::vector<std::int64_t>& real)
        : m_scan(scan), m_batch(column / scan.heads), m_head(column % scan.heads), m_steps(real)
    {
        real.clear();
        for (std::int64_t position = 0; position < scan.steps; ++position)
            if (const std::int64_t t = scan.at(position).step; scan.mask.real(t, m_batch))
                real.push_back(t);
    }

    std::int64_t steps() const { return static_cast<std::int64_t>(m_steps.size()); }
    std::int64_t stepOf(std::int64_t position) const { return m_steps[static_cast<std::size_t>(position)]; }

    /// A head's part of a step's row; nullptr where the rows are absent.
    template <typename U>
    HWY_INLINE U* keysOf(const Rows<U>& rows, std::int64_t t) const
    {
        return rowOrNull(rows, t, m_batch, m_scan.firstKey(m_head));
    }
    template <typename U>
    HWY_INLINE U* valuesOf(const Rows<U>& rows, std::int64_t t) const
    {
        return rowOrNull(rows, t, m_batch, m_scan.firstValue(m_head));
    }
    template <typename U>
    HWY_INLINE U* factorsOf(const Rows<U>& rows, std::int64_t t) const
    {
        return rowOrNull(rows, t, m_batch, m_scan.firstDecay(m_head));
    }
    template <typename U>
    HWY_INLINE U* stateOf(const Rows<U>& rows) const
    {
        return rowOrNull(rows, 0, m_batch, m_scan.firstState(m_head));
    }

    /// Zeros at masked steps, of an output (T,B,...) whose heads have `count` numbers each.
    HWY_INLINE void clearMasked(const Rows<T>& rows, std::int64_t count) const
    {
        if (!rows || steps() == m_scan.steps)
            return;
        for (std::int64_t t = 0; t < m_scan.steps; ++t)
            if (!m_scan.mask.real(t, m_batch))
                zeroRow(rows.row(t, m_batch) + m_head * count, count);
    }

protected:
    const Scan& m_scan;
    std::int64_t m_batch, m_head;

private:
    const std::vector<std::int64_t>& m_steps;
};

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif
