// SPDX-License-Identifier: GPL-3.0-or-later
// sru_scan along one column (one unit of one sequence). A CUDA thread runs one; tests run them on the CPU.
// Inputs of a block of steps are read before the block is computed, and those of the next block before that, so that reads overlap.
#pragma once

#include "core/kernels/common/column_view.h"
#include "core/kernels/common/scalar_math.h"
#include "core/kernels/sru_scan/sru_scan_params.h"

namespace unroll::kernels {

template <typename State>
struct SruStep {
    State candidate;
    State forget;
    State reset;
    State skip; ///< x', scaled; 0 where there is none
    bool real;
};

/// The inputs of one column, and its gates.
template <typename Io, typename State>
struct SruColumnInputs {
    UNROLL_HOST_DEVICE SruColumnInputs(const SruScanInputs<Io, State>& s, std::int64_t b, std::int64_t j)
        : scan(s),
          batch(b),
          candidate(s.candidate, b, j),
          forget(s.forget, b, j),
          reset(s.reset, b, j),
          skip(s.skip, b, j),
          forgetWeight(s.forgetWeight[j]),
          resetWeight(s.resetWeight[j]),
          forgetBias(s.forgetBias[j]),
          resetBias(s.resetBias[j]),
          dropout(s.dropout ? ColumnView<const State, State>(s.dropout, b, j).read(0) : State(1)),
          order{s.steps, s.reverse},
          initial(ColumnView<const State, State>(s.initial, b, j).read(0))
    {}

    UNROLL_HOST_DEVICE SruStep<State> read(std::int64_t t) const
    {
        return {candidate.read(t), forget.read(t), reset.read(t), scan.skipScale * skip.read(t),
                scan.mask.real(t, batch)};
    }
    UNROLL_HOST_DEVICE ScalarGate<State> forgetGate(const SruStep<State>& in, State before) const
    {
        return scalarGate(in.forget + forgetWeight * before + forgetBias);
    }
    UNROLL_HOST_DEVICE ScalarGate<State> resetGate(const SruStep<State>& in, State before) const
    {
        return scalarGate(in.reset + resetWeight * before + resetBias);
    }

    const SruScanInputs<Io, State>& scan;
    std::int64_t batch;
    ColumnView<const Io, State> candidate, forget, reset, skip;
    State forgetWeight, resetWeight, forgetBias, resetBias;
    State dropout;
    StepOrder order;
    State initial;
};

template <typename Io, typename State>
struct SruScanForwardColumn {
    UNROLL_HOST_DEVICE SruScanForwardColumn(const SruScanForward<Io, State>& s, std::int64_t b, std::int64_t j)
        : scan(s), in(s, b, j), h(s.h, b, j), c(s.c, b, j), last(s.last, b, j), state(in.initial)
    {}

    UNROLL_HOST_DEVICE void run()
    {
        SruStep<State> now[stepsAhead], next[stepsAhead];
        read(0, now);
        for (std::int64_t start = 0; start < scan.steps; start += stepsAhead) {
            read(start + stepsAhead, next);
            for (int i = 0; i < stepsAhead; ++i)
                if (start + i < scan.steps)
                    step(in.order.at(start + i), now[i]);
            for (int i = 0; i < stepsAhead; ++i)
                now[i] = next[i];
        }
        last.write(0, state);
    }

    UNROLL_HOST_DEVICE void read(std::int64_t start, SruStep<State>* block) const
    {
        for (int i = 0; i < stepsAhead; ++i)
            if (start + i < scan.steps)
                block[i] = in.read(in.order.at(start + i));
    }

    UNROLL_HOST_DEVICE void step(std::int64_t t, const SruStep<State>& s)
    {
        State out = 0;
        if (s.real) {
            const ScalarGate<State> f = in.forgetGate(s, state);
            const ScalarGate<State> r = in.resetGate(s, state);
            state = f.open * state + f.shut * s.candidate;
            out = (scalarActivate(scan.activation, state).value - s.skip) * in.dropout * r.open + s.skip;
        }
        c.write(t, state);
        h.write(t, out);
    }

    const SruScanForward<Io, State>& scan;
    SruColumnInputs<Io, State> in;
    ColumnView<Io, State> h, c;
    ColumnView<State, State> last;
    State state;
};

template <typename State>
struct SruBackStep {
    SruStep<State> in;
    State before;
    State c;
    State gradH;
    State gradC;
};

template <typename Io, typename State>
struct SruScanBackwardColumn {
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
          carry(ColumnView<const State, State>(s.gradLast, b, j).read(0))
    {}

    UNROLL_HOST_DEVICE void run()
    {
        SruBackStep<State> now[stepsAhead], next[stepsAhead];
        read(scan.steps - 1, now);
        for (std::int64_t start = scan.steps - 1; start >= 0; start -= stepsAhead) {
            read(start - stepsAhead, next);
            for (int i = 0; i < stepsAhead; ++i)
                if (start - i >= 0)
                    step(in.order.at(start - i), now[i]);
            for (int i = 0; i < stepsAhead; ++i)
                now[i] = next[i];
        }
        gradInitial.write(0, carry);
        for (int which = 0; which < 4; ++which)
            scan.gradWeightRow(batch, which)[unit] = weights[which];
    }

    /// Positions start, start - 1, ... of the forward walk.
    UNROLL_HOST_DEVICE void read(std::int64_t start, SruBackStep<State>* block) const
    {
        for (int i = 0; i < stepsAhead; ++i)
            if (start - i >= 0) {
                const std::int64_t t = in.order.at(start - i);
                const State before = start - i > 0 ? c.read(in.order.at(start - i - 1)) : in.initial;
                block[i] = {in.read(t), before, c.read(t), gradH.read(t), gradC.read(t)};
            }
    }

    UNROLL_HOST_DEVICE void step(std::int64_t t, const SruBackStep<State>& s)
    {
        carry += s.gradC;
        State candidate = 0, forget = 0, reset = 0, skip = 0;
        if (s.in.real) {
            const ScalarGate<State> f = in.forgetGate(s.in, s.before);
            const ScalarGate<State> r = in.resetGate(s.in, s.before);
            const ScalarActivated<State> active = scalarActivate(scan.activation, s.c);
            const State gradActive = s.gradH * in.dropout * r.open;
            skip = scan.skipScale * (scan.dropout ? s.gradH - gradActive : s.gradH * r.shut);
            reset = gradActive * r.shut * (active.value - s.in.skip);
            const State grad = carry + gradActive * active.slope;
            candidate = grad * f.shut;
            forget = candidate * f.open * (s.before - s.in.candidate);
            carry = grad * f.open + forget * in.forgetWeight + reset * in.resetWeight;
        }
        gradCandidate.write(t, candidate);
        gradForget.write(t, forget);
        gradReset.write(t, reset);
        gradSkip.write(t, skip);
        const State sums[4] = {forget * s.before, reset * s.before, forget, reset};
        for (int which = 0; which < 4; ++which)
            weights[which] += sums[which];
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

} // namespace unroll::kernels
