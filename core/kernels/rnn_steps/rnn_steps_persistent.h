// SPDX-License-Identifier: GPL-3.0-or-later
// The passes of rnn_steps as persistent_rnn.h walks them: the product of a turn, and what rnn_steps_elements.h makes of
// it.
#pragma once

#include "core/kernels/rnn_steps/rnn_steps_elements.h"
#include "core/kernels/steps/persistent_rnn.h"

namespace unroll::kernels {

/// A turn: the weight times the state before the step, then the step.
template <typename T>
struct RnnForwardPass {
    using Number = T;
    static constexpr int stages = 1;
    template <int stage>
    static constexpr int parts = 1;

    RnnForwardElements<T> elements;
    const T* weight = nullptr; ///< (d,d)

    UNROLL_HOST_DEVICE const ScanDomain& domain() const { return elements; }
    UNROLL_HOST_DEVICE std::int64_t turns() const { return elements.steps; }

    /// Sum j is along row j.
    template <int>
    UNROLL_HOST_DEVICE StepMatrix<T> matrix() const
    {
        return {weight, elements.width, 1, elements.width, 0};
    }
    template <int>
    UNROLL_HOST_DEVICE StepState<T> read(std::int64_t round) const
    {
        return round == 0 ? stepState(elements.initial, 0) : stepState(elements.h, elements.at(round).before);
    }
    template <int>
    UNROLL_HOST_DEVICE void ask(std::int64_t round, std::int64_t b, std::int64_t j) const
    {
        const RnnForwardElements<T> step = at(round);
        step.ask(step.u, b, j);
    }
    template <int>
    UNROLL_HOST_DEVICE void take(std::int64_t round, std::int64_t b, std::int64_t j, const T* sums) const
    {
        at(round).take(b, j, sums[0]);
    }

private:
    UNROLL_HOST_DEVICE RnnForwardElements<T> at(std::int64_t round) const
    {
        RnnForwardElements<T> step = elements;
        step.walk = step.at(round);
        return step;
    }
};

/// A turn: what the gradient of the sums of the step after it gives to the state, then the step's own; one turn more
/// than steps.
template <typename T>
struct RnnBackwardPass {
    using Number = T;
    static constexpr int stages = 1;
    template <int stage>
    static constexpr int parts = 1;

    RnnBackwardElements<T> elements;
    const T* weight = nullptr; ///< (d,d)

    UNROLL_HOST_DEVICE const ScanDomain& domain() const { return elements; }
    UNROLL_HOST_DEVICE std::int64_t turns() const { return elements.steps + 1; }

    /// Sum j is along column j.
    template <int>
    UNROLL_HOST_DEVICE StepMatrix<T> matrix() const
    {
        return {weight, elements.width, elements.width, 1, 0};
    }
    template <int>
    UNROLL_HOST_DEVICE StepState<T> read(std::int64_t round) const
    {
        return round == 0 ? StepState<T>{} : stepState(elements.gradU, elements.at(elements.steps - round).step);
    }
    template <int>
    UNROLL_HOST_DEVICE void ask(std::int64_t round, std::int64_t b, std::int64_t j) const
    {
        if (round == elements.steps)
            return;
        const RnnBackwardElements<T> step = at(round);
        step.ask(step.h, b, j);
        step.ask(step.gradH, b, j);
    }
    template <int>
    UNROLL_HOST_DEVICE void take(std::int64_t round, std::int64_t b, std::int64_t j, const T* sums) const
    {
        elements.carry.row(0, b)[j] += sums[0];
        if (round < elements.steps)
            at(round)(b, j);
    }

private:
    UNROLL_HOST_DEVICE RnnBackwardElements<T> at(std::int64_t round) const
    {
        RnnBackwardElements<T> step = elements;
        step.walk = step.at(step.steps - 1 - round);
        return step;
    }
};

template <typename T>
bool complete(const RnnForwardPass<T>& pass)
{
    return pass.elements.holds(pass.weight != nullptr, pass.elements.u && pass.elements.h);
}

template <typename T>
bool complete(const RnnBackwardPass<T>& pass)
{
    return complete(pass.elements) && pass.elements.holds(pass.weight != nullptr, true);
}

} // namespace unroll::kernels
