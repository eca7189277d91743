// SPDX-License-Identifier: GPL-3.0-or-later
// sru_scan along one column, for walkColumn (column_view.h).
#pragma once

#include "core/kernels/scan/column_view.h"
#include "core/kernels/scan/scalar_math.h"
#include "core/kernels/sru_scan/sru_scan_params.h"

namespace unroll::kernels {

/// The inputs of one step.
template <typename State>
struct SruRead {
    State candidate;
    State forget;
    State reset;
    State skip; ///< x', scaled; 0 where there is none
};

/// The inputs of one column, and its gates.
template <typename Io, typename State>
struct SruColumnInputs {
    UNROLL_HOST_DEVICE SruColumnInputs(const SruScanInputs<Io, State>& s, std::int64_t b, std::int64_t j)
        : skipScale(s.skipScale),
          candidate(s.candidate, b, j),
          forget(s.forget, b, j),
          reset(s.reset, b, j),
          skip(s.skip, b, j),
          forgetWeight(s.forgetWeight[j]),
          resetWeight(s.resetWeight[j]),
          forgetBias(s.forgetBias[j]),
          resetBias(s.resetBias[j]),
          dropout(s.dropout ? readState(s.dropout, b, j) : State(1)),
          initial(readState(s.initial, b, j))
    {}

    UNROLL_HOST_DEVICE SruRead<State> read(std::int64_t t) const
    {
        return {candidate.read(t), forget.read(t), reset.read(t), skipScale * skip.read(t)};
    }
    UNROLL_HOST_DEVICE ScalarGate<State> forgetGate(const SruRead<State>& in, State before) const
    {
        return scalarGate(in.forget + forgetWeight * before + forgetBias);
    }
    UNROLL_HOST_DEVICE ScalarGate<State> resetGate(const SruRead<State>& in, State before) const
    {
        return scalarGate(in.reset + resetWeight * before + resetBias);
    }

    State skipScale;
    ColumnView<const Io, State> candidate, forget, reset, skip;
    State forgetWeight, resetWeight, forgetBias, resetBias;
    State dropout;
    State initial;
};

template <typename Io, typename State>
struct SruScanForwardColumn {
    static constexpr bool backward = false;
    using Read = SruRead<State>;

    UNROLL_HOST_DEVICE SruScanForwardColumn(const SruScanForward<Io, State>& s, std::int64_t b, std::int64_t j)
        : activation(s.activation), in(s, b, j), h(s.h, b, j), c(s.c, b, j), last(s.last, b, j), state(in.initial)
    {}
    UNROLL_HOST_DEVICE Read read(const WalkStep& at) const { return in.read(at.step); }
    UNROLL_HOST_DEVICE void step(std::int64_t t, const Read& s)
    {
        const ScalarGate<State> f = in.forgetGate(s, state);
        const ScalarGate<State> r = in.resetGate(s, state);
        state = f.open * state + f.shut * s.candidate;
        c.write(t, state);
        h.write(t, (scalarActivate(activation, state).value - s.skip) * in.dropout * r.open + s.skip);
    }
    UNROLL_HOST_DEVICE void hold(std::int64_t t, const Read&)
    {
        c.write(t, state);
        h.write(t, State(0));
    }
    UNROLL_HOST_DEVICE void finish() { last.write(0, state); }

    Activation activation;
    SruColumnInputs<Io, State> in;
    ColumnView<Io, State> h, c;
    ColumnView<State, State> last;
    State state;
};

template <typename Io, typename State>
struct SruScanBackwardColumn {
    static constexpr bool backward = true;
    struct Read {
        SruRead<State> in;
        State before, c, gradH, gradC;
    };

    UNROLL_HOST_DEVICE SruScanBackwardColumn(const SruScanBackward<Io, State>& s, std::int64_t b, std::int64_t j)
        : scan(s),
          in(s, b, j),
          batch(b),
          unit(j),
          c(s.c, b, j),
          gradH(s.gradH, b, j),
          gradC(s.gradC, b, j),
          gradCandidate(s.gradCandidate, b, j),
          gradForget(s.gradForget, b, j),
          gradReset(s.gradReset, b, j),
          gradSkip(s.gradSkip, b, j),
          gradInitial(s.gradInitial, b, j),
          carry(readState(s.gradLast, b, j))
    {}
    UNROLL_HOST_DEVICE Read read(const WalkStep& at) const
    {
        return {in.read(at.step), at.first ? in.initial : c.read(at.before), c.read(at.step), gradH.read(at.step),
                gradC.read(at.step)};
    }
    UNROLL_HOST_DEVICE void step(std::int64_t t, const Read& s)
    {
        const ScalarGate<State> f = in.forgetGate(s.in, s.before);
        const ScalarGate<State> r = in.resetGate(s.in, s.before);
        const ScalarActivated<State> active = scalarActivate(scan.activation, s.c);
        const State gradActive = s.gradH * in.dropout * r.open;
        const State skip = scan.skipScale * (scan.dropout ? s.gradH - gradActive : s.gradH * r.shut);
        const State reset = gradActive * r.shut * (active.value - s.in.skip);
        const State grad = carry + s.gradC + gradActive * active.slope;
        const State candidate = grad * f.shut;
        const State forget = candidate * f.open * (s.before - s.in.candidate);
        carry = grad * f.open + forget * in.forgetWeight + reset * in.resetWeight;
        writeInputs(t, candidate, forget, reset, skip);
        const State sums[4] = {forget * s.before, reset * s.before, forget, reset};
        for (int which = 0; which < 4; ++which)
            weights[which] += sums[which];
    }
    UNROLL_HOST_DEVICE void hold(std::int64_t t, const Read& s)
    {
        carry += s.gradC;
        writeInputs(t, State(0), State(0), State(0), State(0));
    }
    UNROLL_HOST_DEVICE void writeInputs(std::int64_t t, State candidate, State forget, State reset, State skip) const
    {
        gradCandidate.write(t, candidate);
        gradForget.write(t, forget);
        gradReset.write(t, reset);
        gradSkip.write(t, skip);
    }
    UNROLL_HOST_DEVICE void finish()
    {
        gradInitial.write(0, carry);
        for (int which = 0; which < 4; ++which)
            scan.gradWeightRow(batch, which)[unit] = weights[which];
    }

    const SruScanBackward<Io, State>& scan;
    SruColumnInputs<Io, State> in;
    std::int64_t batch, unit;
    ColumnView<const Io, State> c, gradH, gradC;
    ColumnView<Io, State> gradCandidate, gradForget, gradReset, gradSkip;
    ColumnView<State, State> gradInitial;
    State carry;
    State weights[4] = {};
};

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const SruScanForward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return SruScanForwardColumn<Io, State>(scan, batch, unit);
}

template <typename Io, typename State>
UNROLL_HOST_DEVICE auto columnOf(const SruScanBackward<Io, State>& scan, std::int64_t batch, std::int64_t unit)
{
    return SruScanBackwardColumn<Io, State>(scan, batch, unit);
}

} // namespace unroll::kernels
