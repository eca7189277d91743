// SPDX-License-Identifier: GPL-3.0-or-later
// diag_scan along one column, walked step by step (walkColumn) or in chunks (chunk_thread.h).
#pragma once

#include "core/kernels/diag_scan/diag_scan_params.h"
#include "core/kernels/scan/affine_map.h"
#include "core/kernels/scan/column_view.h"

namespace unroll::kernels {

/// a of one column: one a step, or the same at every step.
template <typename Io, typename State>
struct DiagFactor {
    ColumnView<const Io, State> steps;
    State constant;

    UNROLL_HOST_DEVICE DiagFactor(const DiagScanInputs<Io, State>& s, std::int64_t b, std::int64_t j)
        : steps(s.a, b, j), constant(readState(s.constant, b, j))
    {}
    UNROLL_HOST_DEVICE State read(std::int64_t t) const { return steps.data ? steps.read(t) : constant; }
};

template <typename Io, typename Number>
struct DiagScanForwardColumn {
    static constexpr bool backward = false;
    using State = Number;
    using Read = AffineMap<State>;
    using Element = AffineMap<State>;

    UNROLL_HOST_DEVICE DiagScanForwardColumn(const DiagScanForward<Io, State>& s, std::int64_t b, std::int64_t j)
        : factor(s, b, j), inputs(s.b, b, j), h(s.h, b, j), last(s.last, b, j), state(readState(s.initial, b, j))
    {}
    UNROLL_HOST_DEVICE Read read(const WalkStep& at) const { return {factor.read(at.step), inputs.read(at.step)}; }
    UNROLL_HOST_DEVICE Element element(std::int64_t, const Read& in) const { return in; }
    UNROLL_HOST_DEVICE Element held(std::int64_t, const Read&) const { return Element::identity(); }
    UNROLL_HOST_DEVICE AffineMap<State> map(const Element& e) const { return e; }
    UNROLL_HOST_DEVICE State& carried() { return state; }
    UNROLL_HOST_DEVICE void step(std::int64_t t, const Element& e)
    {
        state = e(state);
        h.write(t, state);
    }
    UNROLL_HOST_DEVICE void hold(std::int64_t t, const Element&) { h.write(t, state); }
    UNROLL_HOST_DEVICE void finish() { last.write(0, state); }

    DiagFactor<Io, State> factor;
    ColumnView<const Io, State> inputs;
    ColumnView<Io, State> h;
    ColumnView<State, State> last;
    State state;
};

template <typename Io, typename Number>
struct DiagScanBackwardColumn {
    static constexpr bool backward = true;
    using State = Number;
    struct Read {
        State a, before, gradH;
    };
    struct Element {
        State factor, before, gradH; ///< factor of what arrives, to the step before
    };

    UNROLL_HOST_DEVICE DiagScanBackwardColumn(const DiagScanBackward<Io, State>& s, std::int64_t b, std::int64_t j)
        : factor(s, b, j),
          h(s.h, b, j),
          gradH(s.gradH, b, j),
          gradA(s.gradA, b, j),
          gradB(s.gradB, b, j),
          gradConstant(s.gradConstant, b, j),
          gradInitial(s.gradInitial, b, j),
          initial(readState(s.initial, b, j)),
          carry(readState(s.gradLast, b, j)),
          sum(State(0))
    {}
    UNROLL_HOST_DEVICE Read read(const WalkStep& at) const
    {
        return {factor.read(at.step), at.first ? initial : h.read(at.before), gradH.read(at.step)};
    }
    UNROLL_HOST_DEVICE Element element(std::int64_t, const Read& in) const
    {
        return {conjugate(in.a), conjugate(in.before), in.gradH};
    }
    UNROLL_HOST_DEVICE Element held(std::int64_t t, const Read& in) const
    {
        gradA.write(t, State(0));
        gradB.write(t, State(0));
        return {State(1), State(0), in.gradH};
    }
    UNROLL_HOST_DEVICE AffineMap<State> map(const Element& e) const { return {e.factor, e.factor * e.gradH}; }
    UNROLL_HOST_DEVICE State& carried() { return carry; }
    UNROLL_HOST_DEVICE State& summed() { return sum; }
    UNROLL_HOST_DEVICE void step(std::int64_t t, const Element& e)
    {
        const State grad = carry + e.gradH;
        const State toA = grad * e.before;
        gradA.write(t, toA);
        gradB.write(t, grad);
        sum = sum + toA;
        carry = e.factor * grad;
    }
    UNROLL_HOST_DEVICE void hold(std::int64_t, const Element& e) { carry = carry + e.gradH; }
    UNROLL_HOST_DEVICE void finish()
    {
        gradConstant.write(0, sum);
        gradInitial.write(0, carry);
    }

    DiagFactor<Io, State> factor;
    ColumnView<const Io, State> h, gradH;
    ColumnView<Io, State> gradA, gradB;
    ColumnView<State, State> gradConstant, gradInitial;
    State initial;
    State carry;
    State sum;
};

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const DiagScanForward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return DiagScanForwardColumn<Io, State>(scan, batch, unit);
}

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const DiagScanBackward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return DiagScanBackwardColumn<Io, State>(scan, batch, unit);
}

} // namespace unroll::kernels
