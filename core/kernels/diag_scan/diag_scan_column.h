// SPDX-License-Identifier: GPL-3.0-or-later
// diag_scan along one column (one unit of one sequence). A CUDA thread runs one; tests run them on the CPU.
// Inputs of a block of steps are read before the block is computed, and those of the next block before that, so that reads overlap.
#pragma once

#include "core/kernels/common/column_view.h"
#include "core/kernels/diag_scan/diag_scan_params.h"

namespace unroll::kernels {

/// a of one column: one a step, or the same at every step.
template <typename Io, typename State>
struct DiagFactor {
    ColumnView<const Io, State> steps;
    State constant;

    UNROLL_HOST_DEVICE DiagFactor(const Rows<const Io>& a, const Rows<const State>& constantA, std::int64_t b,
                                  std::int64_t j)
        : steps(a, b, j), constant(ColumnView<const State, State>(constantA, b, j).read(0))
    {}
    UNROLL_HOST_DEVICE State read(std::int64_t t) const { return steps.data ? steps.read(t) : constant; }
};

template <typename State>
struct DiagScanStep {
    State a;
    State b;
    bool real;
};

template <typename Io, typename State>
struct DiagScanForwardColumn {
    UNROLL_HOST_DEVICE DiagScanForwardColumn(const DiagScanForward<Io, State>& s, std::int64_t b, std::int64_t j)
        : scan(s),
          batch(b),
          factor(s.a, s.constant, b, j),
          inputs(s.b, b, j),
          h(s.h, b, j),
          last(s.last, b, j),
          order{s.steps, s.reverse},
          state(ColumnView<const State, State>(s.initial, b, j).read(0))
    {}

    UNROLL_HOST_DEVICE void run()
    {
        DiagScanStep<State> now[stepsAhead], next[stepsAhead];
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

    UNROLL_HOST_DEVICE void read(std::int64_t start, DiagScanStep<State>* block) const
    {
        for (int i = 0; i < stepsAhead; ++i)
            if (start + i < scan.steps) {
                const std::int64_t t = order.at(start + i);
                block[i] = {factor.read(t), inputs.read(t), scan.mask.real(t, batch)};
            }
    }

    UNROLL_HOST_DEVICE void step(std::int64_t t, const DiagScanStep<State>& in)
    {
        if (in.real)
            state = in.a * state + in.b;
        h.write(t, state);
    }

    const DiagScanForward<Io, State>& scan;
    std::int64_t batch;
    DiagFactor<Io, State> factor;
    ColumnView<const Io, State> inputs;
    ColumnView<Io, State> h;
    ColumnView<State, State> last;
    StepOrder order;
    State state;
};

template <typename State>
struct DiagScanBackStep {
    State a;
    State before;
    State gradH;
    bool real;
};

template <typename Io, typename State>
struct DiagScanBackwardColumn {
    UNROLL_HOST_DEVICE DiagScanBackwardColumn(const DiagScanBackward<Io, State>& s, std::int64_t b, std::int64_t j)
        : scan(s),
          batch(b),
          factor(s.a, s.constant, b, j),
          h(s.h, b, j),
          gradH(s.gradH, b, j),
          gradA(s.gradA, b, j),
          gradB(s.gradB, b, j),
          gradConstant(s.gradConstant, b, j),
          gradInitial(s.gradInitial, b, j),
          order{s.steps, s.reverse},
          initial(ColumnView<const State, State>(s.initial, b, j).read(0)),
          carry(ColumnView<const State, State>(s.gradLast, b, j).read(0)),
          sum(State(0))
    {}

    UNROLL_HOST_DEVICE void run()
    {
        DiagScanBackStep<State> now[stepsAhead], next[stepsAhead];
        read(scan.steps - 1, now);
        for (std::int64_t start = scan.steps - 1; start >= 0; start -= stepsAhead) {
            read(start - stepsAhead, next);
            for (int i = 0; i < stepsAhead; ++i)
                if (start - i >= 0)
                    step(order.at(start - i), now[i]);
            for (int i = 0; i < stepsAhead; ++i)
                now[i] = next[i];
        }
        gradConstant.write(0, sum);
        gradInitial.write(0, carry);
    }

    /// Positions start, start - 1, ... of the forward walk.
    UNROLL_HOST_DEVICE void read(std::int64_t start, DiagScanBackStep<State>* block) const
    {
        for (int i = 0; i < stepsAhead; ++i)
            if (start - i >= 0) {
                const std::int64_t t = order.at(start - i);
                const State before = start - i > 0 ? h.read(order.at(start - i - 1)) : initial;
                block[i] = {factor.read(t), before, gradH.read(t), scan.mask.real(t, batch)};
            }
    }

    UNROLL_HOST_DEVICE void step(std::int64_t t, const DiagScanBackStep<State>& s)
    {
        const State grad = carry + s.gradH;
        const State toA = s.real ? grad * conjugate(s.before) : State(0);
        gradA.write(t, toA);
        gradB.write(t, s.real ? grad : State(0));
        sum = sum + toA;
        carry = s.real ? conjugate(s.a) * grad : grad;
    }

    const DiagScanBackward<Io, State>& scan;
    std::int64_t batch;
    DiagFactor<Io, State> factor;
    ColumnView<const Io, State> h, gradH;
    ColumnView<Io, State> gradA, gradB;
    ColumnView<State, State> gradConstant, gradInitial;
    StepOrder order;
    State initial;
    State carry;
    State sum;
};

} // namespace unroll::kernels
