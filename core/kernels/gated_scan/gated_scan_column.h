// SPDX-License-Identifier: GPL-3.0-or-later
// gated_scan along one column, walked step by step (walkColumn) or in chunks (chunk_thread.h).
#pragma once

#include "core/kernels/gated_scan/gated_scan_params.h"
#include "core/kernels/scan/affine_map.h"
#include "core/kernels/scan/column_view.h"
#include "core/kernels/scan/scalar_math.h"

namespace unroll::kernels {

/// Pre-activations of one step.
template <typename State>
struct GatedScanRead {
    State forget;
    State candidate;
    State output;
};

/// The inputs of one column, and its gates.
template <typename Io, typename State>
struct GatedScanColumnInputs {
    UNROLL_HOST_DEVICE GatedScanColumnInputs(const GatedScanInputs<Io, State>& s, std::int64_t b, std::int64_t j)
        : candidate(s.candidate), forget(s.forget, b, j), candidates(s.candidates, b, j), output(s.output, b, j)
    {}
    UNROLL_HOST_DEVICE GatedScanRead<State> read(std::int64_t t) const
    {
        return {forget.read(t), candidates.read(t), output.read(t)};
    }
    UNROLL_HOST_DEVICE ScalarActivated<State> activated(const GatedScanRead<State>& in) const
    {
        return scalarActivate(candidate, in.candidate);
    }
    UNROLL_HOST_DEVICE ScalarGate<State> outputGate(const GatedScanRead<State>& in) const
    {
        return output.data ? scalarGate(in.output) : ScalarGate<State>{State(1), State(0)};
    }

    Activation candidate;
    ColumnView<const Io, State> forget, candidates, output;
};

template <typename Io, typename Number>
struct GatedScanForwardColumn {
    static constexpr bool backward = false;
    using State = Number;
    using Read = GatedScanRead<State>;
    struct Element {
        AffineMap<State> map; ///< (f, (1 - f) c)
        State open;           ///< sigmoid(g)
    };

    UNROLL_HOST_DEVICE GatedScanForwardColumn(const GatedScanForward<Io, State>& s, std::int64_t b, std::int64_t j)
        : in(s, b, j), u(s.u, b, j), h(s.h, b, j), last(s.last, b, j), state(readState(s.initial, b, j))
    {}
    UNROLL_HOST_DEVICE Read read(const WalkStep& at) const { return in.read(at.step); }
    UNROLL_HOST_DEVICE Element element(std::int64_t, const Read& a) const
    {
        const ScalarGate<State> f = scalarGate(a.forget);
        return {{f.open, f.shut * in.activated(a).value}, in.outputGate(a).open};
    }
    UNROLL_HOST_DEVICE Element held(std::int64_t, const Read&) const
    {
        return {AffineMap<State>::identity(), State(0)};
    }
    UNROLL_HOST_DEVICE AffineMap<State> map(const Element& e) const { return e.map; }
    UNROLL_HOST_DEVICE State& carried() { return state; }
    UNROLL_HOST_DEVICE void step(std::int64_t t, const Element& e)
    {
        state = e.map(state);
        h.write(t, state);
        u.write(t, e.open * state);
    }
    UNROLL_HOST_DEVICE void hold(std::int64_t t, const Element&)
    {
        h.write(t, state);
        u.write(t, State(0));
    }
    UNROLL_HOST_DEVICE void finish() { last.write(0, state); }

    GatedScanColumnInputs<Io, State> in;
    ColumnView<Io, State> u, h;
    ColumnView<State, State> last;
    State state;
};

template <typename Io, typename Number>
struct GatedScanBackwardColumn {
    static constexpr bool backward = true;
    using State = Number;
    struct Read {
        GatedScanRead<State> in;
        State before, h, gradU, gradH;
    };
    /// Of a real step: f; what arrives from outside; slopes of the state by forget gate and candidate.
    struct Element {
        State keep, arriving, byForget, byCandidate;
    };

    UNROLL_HOST_DEVICE GatedScanBackwardColumn(const GatedScanBackward<Io, State>& s, std::int64_t b, std::int64_t j)
        : in(s, b, j),
          h(s.h, b, j),
          gradU(s.gradU, b, j),
          gradH(s.gradH, b, j),
          gradForget(s.gradForget, b, j),
          gradCandidates(s.gradCandidates, b, j),
          gradOutput(s.gradOutput, b, j),
          gradInitial(s.gradInitial, b, j),
          initial(readState(s.initial, b, j)),
          carry(readState(s.gradLast, b, j))
    {}
    UNROLL_HOST_DEVICE Read read(const WalkStep& at) const
    {
        return {in.read(at.step), at.first ? initial : h.read(at.before), h.read(at.step), gradU.read(at.step),
                gradH.read(at.step)};
    }
    UNROLL_HOST_DEVICE Element element(std::int64_t t, const Read& s) const
    {
        const ScalarGate<State> g = in.outputGate(s.in);
        const ScalarGate<State> f = scalarGate(s.in.forget);
        const ScalarActivated<State> c = in.activated(s.in);
        gradOutput.write(t, s.gradU * s.h * g.open * g.shut);
        return {f.open, s.gradH + s.gradU * g.open, f.shut * f.open * (s.before - c.value), f.shut * c.slope};
    }
    UNROLL_HOST_DEVICE Element held(std::int64_t t, const Read& s) const
    {
        gradOutput.write(t, State(0));
        gradForget.write(t, State(0));
        gradCandidates.write(t, State(0));
        return {State(1), s.gradH, State(0), State(0)};
    }
    UNROLL_HOST_DEVICE AffineMap<State> map(const Element& e) const { return {e.keep, e.keep * e.arriving}; }
    UNROLL_HOST_DEVICE State& carried() { return carry; }
    UNROLL_HOST_DEVICE void step(std::int64_t t, const Element& e)
    {
        const State grad = carry + e.arriving;
        gradForget.write(t, grad * e.byForget);
        gradCandidates.write(t, grad * e.byCandidate);
        carry = grad * e.keep;
    }
    UNROLL_HOST_DEVICE void hold(std::int64_t, const Element& e) { carry += e.arriving; }
    UNROLL_HOST_DEVICE void finish() { gradInitial.write(0, carry); }

    GatedScanColumnInputs<Io, State> in;
    ColumnView<const Io, State> h, gradU, gradH;
    ColumnView<Io, State> gradForget, gradCandidates, gradOutput;
    ColumnView<State, State> gradInitial;
    State initial;
    State carry;
};

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const GatedScanForward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return GatedScanForwardColumn<Io, State>(scan, batch, unit);
}

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const GatedScanBackward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return GatedScanBackwardColumn<Io, State>(scan, batch, unit);
}

} // namespace unroll::kernels
