// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/gru_steps/gru_steps_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gru_steps/gru_steps_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cpu/step_rows_inl.h"
#include "core/kernels/vector_math/vector_math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// Whether the reset gate acts on n's product, which is made with those of r and z then.
template <GruConvention convention>
constexpr bool kResetsAfter = convention == GruConvention::ResetAfter;

/// How much of the state z keeps, and how much of the candidate it writes.
template <GruConvention convention, class V>
HWY_INLINE Gate<V> keepAndWrite(const Gate<V>& z)
{
    return convention == GruConvention::ResetBeforeInvertedZ ? Gate<V>{z.shut, z.open} : z;
}

/// One sequence at one step of the forward walk.
template <typename T>
struct ForwardRow {
    const T* before; ///< nullptr: zeros
    const T* u;      ///< parts r, z, n
    const T* sums;   ///< products: r, z and W_n h + bias, or the whole sum of n alone
    T* kept;         ///< parts r, z, n and what r gates
    T* h;
};

template <GruConvention convention, class D, class Lanes, typename T, class V = hn::Vec<D>>
HWY_INLINE void mixAt(const ForwardRow<T>& row, D d, Lanes lanes, std::int64_t j, V z, V n)
{
    const auto gate = keepAndWrite<convention>(sigmoidGate(d, z));
    const V before = loadOrZero(d, lanes, row.before, j);
    lanes.store(d, hn::MulAdd(gate.open, before, hn::Mul(gate.shut, n)), row.h + j);
}

/// The rest of a step where the reset gate acts on the product.
template <typename T>
HWY_INLINE void resetAfterRow(const ForwardRow<T>& row, std::int64_t width)
{
    const hn::ScalableTag<T> d;
    forLanes(d, width, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto r = lanes.load(d, row.sums + j), z = lanes.load(d, row.sums + width + j);
        const auto gated = lanes.load(d, row.sums + 2 * width + j);
        const auto n = tanh(d, hn::MulAdd(sigmoid(d, r), gated, lanes.load(d, row.u + 2 * width + j)));
        lanes.store(d, r, row.kept + j);
        lanes.store(d, z, row.kept + width + j);
        lanes.store(d, n, row.kept + 2 * width + j);
        lanes.store(d, gated, row.kept + 3 * width + j);
        mixAt<GruConvention::ResetAfter>(row, d, lanes, j, z, n);
    });
}

/// What n's product reads where the reset gate acts before it.
template <typename T>
HWY_INLINE void resetRow(const ForwardRow<T>& row, std::int64_t width)
{
    const hn::ScalableTag<T> d;
    forLanes(d, width, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto r = lanes.load(d, row.sums + j);
        lanes.store(d, r, row.kept + j);
        lanes.store(d, lanes.load(d, row.sums + width + j), row.kept + width + j);
        lanes.store(d, hn::Mul(sigmoid(d, r), loadOrZero(d, lanes, row.before, j)), row.kept + 3 * width + j);
    });
}

/// The rest of the step then.
template <GruConvention convention, typename T>
HWY_INLINE void resetBeforeRow(const ForwardRow<T>& row, std::int64_t width)
{
    const hn::ScalableTag<T> d;
    forLanes(d, width, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto n = tanh(d, lanes.load(d, row.sums + j));
        lanes.store(d, n, row.kept + 2 * width + j);
        mixAt<convention>(row, d, lanes, j, lanes.load(d, row.kept + width + j), n);
    });
}

/// The forward walk of some sequences.
template <GruConvention convention, typename T>
class ForwardWalk {
public:
    ForwardWalk(const GruStepsForward<T, T>& scan, Sequences some)
        : m_scan(scan),
          m_some(some),
          m_sums(some.count, scan.gates.columns),
          m_candidates(some.count, scan.candidate.columns),
          m_kept(scan.kept ? 0 : some.count, 4 * scan.width),
          m_before(some.of(scan.initial, 0))
    {}

    void run()
    {
        for (std::int64_t position = 0; position < m_scan.steps; ++position) {
            begin(position);
            if constexpr (!kResetsAfter<convention>)
                multiplyReset();
            end(m_scan.at(position));
        }
        copyRowsOrZero(m_before, m_some.count, m_some.of(m_scan.last, 0), width());
    }

private:
    std::int64_t width() const { return m_scan.width; }

    ForwardRow<T> row(std::int64_t b, const T* sums)
    {
        return {m_before.rowOrNull(b), m_u.row(b), sums, m_keptNow.row(b), m_h.row(b)};
    }

    /// The products of the state.
    void begin(std::int64_t position)
    {
        const WalkStep walk = m_scan.at(position);
        m_u = m_some.of(m_scan.u, walk.step);
        m_h = m_some.of(m_scan.h, walk.step);
        m_keptNow = m_scan.kept ? m_some.of(m_scan.kept, walk.step) : m_kept.rows();
        for (std::int64_t b = 0; b < m_some.count; ++b) {
            copyRow(m_u.row(b), m_sums.row(b), 2 * width());
            if constexpr (kResetsAfter<convention>)
                copyRowOrZero(m_scan.bias, m_sums.row(b) + 2 * width(), width());
        }
        addProductOf(m_before, m_some.count, m_scan.gates, m_sums.rows());
    }

    /// The product of what is left of the state.
    void multiplyReset()
    {
        for (std::int64_t b = 0; b < m_some.count; ++b)
            resetRow(row(b, m_sums.row(b)), width());
        copyRowsOrZero(m_u.from(2 * width()), m_some.count, m_candidates.rows(), width());
        addProduct(m_keptNow.from(3 * width()), m_some.count, m_scan.candidate, m_candidates.rows());
    }

    void end(const WalkStep& walk)
    {
        for (std::int64_t b = 0; b < m_some.count; ++b) {
            if constexpr (kResetsAfter<convention>)
                resetAfterRow(row(b, m_sums.row(b)), width());
            else
                resetBeforeRow<convention>(row(b, m_candidates.row(b)), width());
            if (!m_some.real(m_scan, walk, b))
                copyRowOrZero(m_before.rowOrNull(b), m_h.row(b), width());
        }
        m_before = m_h;
    }

    const GruStepsForward<T, T>& m_scan;
    const Sequences m_some;
    ScratchRows<T> m_sums, m_candidates, m_kept; // the last where nothing is to be kept
    StepRows<const T> m_before, m_u;
    StepRows<T> m_h, m_keptNow;
};

/// One sequence at one step of the backward walk.
template <typename T>
struct BackwardRow {
    const T* before; ///< nullptr: zeros
    const T* kept;
    const T* gradH; ///< nullptr: zeros
    T* carry;       ///< gradient of the state after the step, then of that before it, but for what the products add
    T* gradU;
    T* gradGated; ///< with ResetAfter
};

/// Takes the gradient of the state apart: what goes to the state before directly stays in `carry`, what goes to the
/// sums of z and n is written, the latter given back.
template <GruConvention convention, class D, class Lanes, typename T, class V = hn::Vec<D>>
HWY_INLINE V gradCandidateAt(const BackwardRow<T>& row, D d, Lanes lanes, std::int64_t j, std::int64_t width)
{
    const V gradState = hn::Add(lanes.load(d, row.carry + j), loadOrZero(d, lanes, row.gradH, j));
    const V n = lanes.load(d, row.kept + 2 * width + j), before = loadOrZero(d, lanes, row.before, j);
    const auto z = sigmoidGate(d, lanes.load(d, row.kept + width + j));
    const auto gate = keepAndWrite<convention>(z);
    const V rise = convention == GruConvention::ResetBeforeInvertedZ ? hn::Sub(n, before) : hn::Sub(before, n);
    const V written = hn::Mul(gradState, gate.shut);
    const V gradN = hn::Mul(written, hn::NegMulAdd(n, n, hn::Set(d, T{1})));
    lanes.store(d, hn::Mul(hn::Mul(written, gate.open), rise), row.gradU + width + j);
    lanes.store(d, gradN, row.gradU + 2 * width + j);
    lanes.store(d, hn::Mul(gradState, gate.open), row.carry + j);
    return gradN;
}

template <typename T>
HWY_INLINE void backwardAfterRow(const BackwardRow<T>& row, std::int64_t width)
{
    const hn::ScalableTag<T> d;
    forLanes(d, width, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto gradN = gradCandidateAt<GruConvention::ResetAfter>(row, d, lanes, j, width);
        const auto r = sigmoidGate(d, lanes.load(d, row.kept + j));
        const auto gradGated = hn::Mul(gradN, r.open);
        lanes.store(d, gradGated, row.gradGated + j);
        lanes.store(d, hn::Mul(hn::Mul(gradGated, r.shut), lanes.load(d, row.kept + 3 * width + j)), row.gradU + j);
    });
}

/// The part before n's product is gone back through.
template <GruConvention convention, typename T>
HWY_INLINE void backwardCandidateRow(const BackwardRow<T>& row, std::int64_t width)
{
    const hn::ScalableTag<T> d;
    forLanes(d, width,
             [&](auto lanes, std::int64_t j) HWY_ATTR { gradCandidateAt<convention>(row, d, lanes, j, width); });
}

/// The part after it; `gradReset` is the gradient of r h.
template <typename T>
HWY_INLINE void backwardResetRow(const BackwardRow<T>& row, const T* gradReset, std::int64_t width)
{
    const hn::ScalableTag<T> d;
    forLanes(d, width, [&](auto lanes, std::int64_t j) HWY_ATTR {
        const auto r = sigmoidGate(d, lanes.load(d, row.kept + j));
        const auto through = hn::Mul(lanes.load(d, gradReset + j), r.open);
        const auto before = loadOrZero(d, lanes, row.before, j);
        lanes.store(d, hn::Mul(hn::Mul(through, r.shut), before), row.gradU + j);
        lanes.store(d, hn::Add(lanes.load(d, row.carry + j), through), row.carry + j);
    });
}

/// The backward walk of some sequences.
template <GruConvention convention, typename T>
class BackwardWalk {
public:
    BackwardWalk(const GruStepsBackward<T, T>& scan, Sequences some)
        : m_scan(scan),
          m_some(some),
          m_carry(some.count, scan.width),
          m_gradReset(some.count, scan.candidate.columns),
          m_initial(some.of(scan.initial, 0))
    {}

    void run()
    {
        copyRowsOrZero(m_some.of(m_scan.gradLast, 0), m_some.count, m_carry.rows(), width());
        for (std::int64_t position = m_scan.steps - 1; position >= 0; --position) {
            begin(m_scan.at(position));
            if constexpr (!kResetsAfter<convention>)
                multiplyCandidates(m_scan.at(position));
            addProduct(gateGradients(), m_some.count, m_scan.gates, m_carry.rows());
        }
        copyRowsOrZero(m_carry.rows(), m_some.count, m_some.of(m_scan.gradInitial, 0), width());
    }

private:
    std::int64_t width() const { return m_scan.width; }

    BackwardRow<T> row(std::int64_t b)
    {
        return {m_before.rowOrNull(b), m_kept.row(b),  m_gradH.rowOrNull(b),
                m_carry.row(b),        m_gradU.row(b), m_gradGated.rowOrNull(b)};
    }

    /// Of what is gated, r and z; or of r and z.
    StepRows<const T> gateGradients() const { return kResetsAfter<convention> ? m_gradGated : m_gradU; }

    void begin(const WalkStep& walk)
    {
        m_before = m_some.before(walk, m_initial, m_scan.h);
        m_kept = m_some.of(m_scan.kept, walk.step);
        m_gradH = m_some.of(m_scan.gradH, walk.step);
        m_gradU = m_some.of(m_scan.gradU, walk.step);
        m_gradGated = m_some.of(m_scan.gradGated, walk.step);
        for (std::int64_t b = 0; b < m_some.count; ++b)
            if (!m_some.real(m_scan, walk, b))
                hold(row(b));
            else if constexpr (kResetsAfter<convention>)
                backwardAfterRow(row(b), width());
            else
                backwardCandidateRow<convention>(row(b), width());
    }

    /// A masked step: the state went through.
    void hold(const BackwardRow<T>& at)
    {
        zeroRow(at.gradU, 3 * width());
        if (at.gradGated != nullptr)
            zeroRow(at.gradGated, width());
        if (at.gradH != nullptr)
            addRow(at.gradH, at.carry, width());
    }

    void multiplyCandidates(const WalkStep& walk)
    {
        copyRowsOrZero({}, m_some.count, m_gradReset.rows(), width());
        addProduct(m_gradU.from(2 * width()), m_some.count, m_scan.candidate, m_gradReset.rows());
        for (std::int64_t b = 0; b < m_some.count; ++b)
            if (m_some.real(m_scan, walk, b))
                backwardResetRow(row(b), m_gradReset.row(b), width());
    }

    const GruStepsBackward<T, T>& m_scan;
    const Sequences m_some;
    ScratchRows<T> m_carry, m_gradReset;
    StepRows<const T> m_initial, m_before, m_kept, m_gradH;
    StepRows<T> m_gradU, m_gradGated;
};

template <GruConvention convention, typename T>
void scanWith(const GruStepsForward<T, T>& scan, Sequences some)
{
    ForwardWalk<convention, T>(scan, some).run();
}

template <GruConvention convention, typename T>
void scanWith(const GruStepsBackward<T, T>& scan, Sequences some)
{
    BackwardWalk<convention, T>(scan, some).run();
}

template <class Scan>
void scanAs(const Scan& scan, Sequences some)
{
    switch (scan.convention) {
    case GruConvention::ResetAfter: return scanWith<GruConvention::ResetAfter>(scan, some);
    case GruConvention::ResetBefore: return scanWith<GruConvention::ResetBefore>(scan, some);
    case GruConvention::ResetBeforeInvertedZ: return scanWith<GruConvention::ResetBeforeInvertedZ>(scan, some);
    }
}

void scanAny(const GruStepsPass& pass, ColumnRange sequences)
{
    scanSequences(pass, sequences, [](const auto& scan, Sequences some) HWY_ATTR { scanAs(scan, some); });
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(GruStepsPass)
#endif
