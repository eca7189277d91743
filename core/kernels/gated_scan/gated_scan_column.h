// SPDX-License-Identifier: GPL-3.0-or-later
// gated_scan along one column (one unit of one sequence). A CUDA thread runs one; tests run them on the CPU.
// Inputs of a block of steps are read before the block is computed, and those of the next block before that, so that reads overlap.
#pragma once

#include "core/kernels/common/column_view.h"
#include "core/kernels/common/scalar_math.h"
#include "core/kernels/gated_scan/gated_scan_params.h"

namespace unroll::kernels {

template <typename State>
struct GatedScanStep {
    State forget;
    State candidate;
    State output;
    bool real;
};

template <typename Io, typename State>
struct GatedScanForwardColumn {
    UNROLL_HOST_DEVICE GatedScanForwardColumn(const GatedScanForward<Io, State>& s, std::int64_t b, std::int64_t j)
        : scan(s),
          batch(b),
          forget(s.forget, b, j),
          candidates(s.candidates, b, j),
          output(s.output, b, j),
          u(s.u, b, j),
          h(s.h, b, j),
          last(s.last, b, j),
          order{s.steps, s.reverse},
          state(ColumnView<const State, State>(s.initial, b, j).read(0))
    {}

    UNROLL_HOST_DEVICE void run()
    {
        GatedScanStep<State> now[stepsAhead], next[stepsAhead];
        read(0, now);
        for (std::int64_t start = 0; start < scan.steps; start += stepsAhead) {
            read(start + stepsAhead, next);
            for (int i = 0; i < stepsAhead; ++i)
                if (start + i < scan.steps)
                    step(order.at(start + i), now[i]);
            for (int i = 0; i < stepsAhead; ++i)
                now[i] = next[i];
        }
        last.write(0, state);
    }

    UNROLL_HOST_DEVICE void read(std::int64_t start, GatedScanStep<State>* block) const
    {
        for (int i = 0; i < stepsAhead; ++i)
            if (start + i < scan.steps) {
                const std::int64_t t = order.at(start + i);
                block[i] = {forget.read(t), candidates.read(t), output.read(t), scan.mask.real(t, batch)};
            }
    }

    UNROLL_HOST_DEVICE void step(std::int64_t t, const GatedScanStep<State>& in)
    {
        if (in.real) {
            const ScalarGate<State> f = scalarGate(in.forget);
            state = f.open * state + f.shut * scalarActivate(scan.candidate, in.candidate).value;
        }
        const State gate = scan.output ? scalarGate(in.output).open : State(1);
        h.write(t, state);
        u.write(t, in.real ? gate * state : State(0));
    }

    const GatedScanForward<Io, State>& scan;
    std::int64_t batch;
    ColumnView<const Io, State> forget, candidates, output;
    ColumnView<Io, State> u, h;
    ColumnView<State, State> last;
    StepOrder order;
    State state;
};

template <typename State>
struct GatedScanBackStep {
    GatedScanStep<State> in;
    State before;
    State h;
    State gradU;
    State gradH;
};

template <typename Io, typename State>
struct GatedScanBackwardColumn {
    UNROLL_HOST_DEVICE GatedScanBackwardColumn(const GatedScanBackward<Io, State>& s, std::int64_t b, std::int64_t j)
        : scan(s),
          batch(b),
          forget(s.forget, b, j),
          candidates(s.candidates, b, j),
          output(s.output, b, j),
          h(s.h, b, j),
          gradU(s.gradU, b, j),
          gradH(s.gradH, b, j),
          gradForget(s.gradForget, b, j),
          gradCandidates(s.gradCandidates, b, j),
          gradOutput(s.gradOutput, b, j),
          gradInitial(s.gradInitial, b, j),
          order{s.steps, s.reverse},
          initial(ColumnView<const State, State>(s.initial, b, j).read(0)),
          carry(ColumnView<const State, State>(s.gradLast, b, j).read(0))
    {}

    UNROLL_HOST_DEVICE void run()
    {
        GatedScanBackStep<State> now[stepsAhead], next[stepsAhead];
        read(scan.steps - 1, now);
        for (std::int64_t start = scan.steps - 1; start >= 0; start -= stepsAhead) {
            read(start - stepsAhead, next);
            for (int i = 0; i < stepsAhead; ++i)
                if (start - i >= 0)
                    step(order.at(start - i), now[i]);
            for (int i = 0; i < stepsAhead; ++i)
                now[i] = next[i];
        }
        gradInitial.write(0, carry);
    }

    /// Positions start, start - 1, ... of the forward walk.
    UNROLL_HOST_DEVICE void read(std::int64_t start, GatedScanBackStep<State>* block) const
    {
        for (int i = 0; i < stepsAhead; ++i)
            if (start - i >= 0) {
                const std::int64_t t = order.at(start - i);
                const State before = start - i > 0 ? h.read(order.at(start - i - 1)) : initial;
                block[i] = {{forget.read(t), candidates.read(t), output.read(t), scan.mask.real(t, batch)},
                            before,
                            h.read(t),
                            gradU.read(t),
                            gradH.read(t)};
            }
    }

    UNROLL_HOST_DEVICE void step(std::int64_t t, const GatedScanBackStep<State>& s)
    {
        const State arriving = carry + s.gradH;
        const ScalarGate<State> g = scan.output ? scalarGate(s.in.output) : ScalarGate<State>{State(1), State(0)};
        const ScalarGate<State> f = scalarGate(s.in.forget);
        const ScalarActivated<State> c = scalarActivate(scan.candidate, s.in.candidate);
        const State grad = arriving + s.gradU * g.open;
        const State leak = grad * f.shut;
        gradOutput.write(t, s.in.real ? s.gradU * s.h * g.open * g.shut : State(0));
        gradForget.write(t, s.in.real ? leak * f.open * (s.before - c.value) : State(0));
        gradCandidates.write(t, s.in.real ? leak * c.slope : State(0));
        carry = s.in.real ? grad * f.open : arriving;
    }

    const GatedScanBackward<Io, State>& scan;
    std::int64_t batch;
    ColumnView<const Io, State> forget, candidates, output, h, gradU, gradH;
    ColumnView<Io, State> gradForget, gradCandidates, gradOutput;
    ColumnView<State, State> gradInitial;
    StepOrder order;
    State initial;
    State carry;
};

} // namespace unroll::kernels
