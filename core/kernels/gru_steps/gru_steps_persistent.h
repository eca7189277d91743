// SPDX-License-Identifier: GPL-3.0-or-later
// The passes of gru_steps as persistent_rnn.h walks them: the products of a turn, and what gru_steps_elements.h makes
// of them. Where the reset acts before n's product a step takes two turns, one for each product; resetsAfter says that
// it acts after.
#pragma once

#include "core/kernels/gru_steps/gru_steps_elements.h"
#include "core/kernels/steps/persistent_rnn.h"

namespace unroll::kernels {

/// A turn: the weight of r, z and n times the state before the step, then the step. Or: that of r and z; then that of n
/// times r h.
template <typename T, bool resetsAfter>
struct GruForwardPass {
    using Number = T;
    static constexpr int stages = resetsAfter ? 1 : 2;
    template <int stage>
    static constexpr int parts = stage == 1    ? 1
                                 : resetsAfter ? 3
                                               : 2;

    GruForwardElements<T> elements;
    const T* weight = nullptr; ///< (3d,d)

    UNROLL_HOST_DEVICE const ScanDomain& domain() const { return elements; }
    UNROLL_HOST_DEVICE std::int64_t turns() const { return elements.steps * stages; }

    /// Sum j of a part is along its row j.
    template <int stage>
    UNROLL_HOST_DEVICE StepMatrix<T> matrix() const
    {
        const std::int64_t d = elements.width;
        return {weight + (stage == 1 ? 2 * d * d : 0), d, 1, d, d * d};
    }
    template <int stage>
    UNROLL_HOST_DEVICE StepState<T> read(std::int64_t round) const
    {
        const WalkStep walk = elements.at(round);
        if constexpr (stage == 1)
            return stepState(elements.kept, walk.step, 3 * elements.width);
        return walk.first ? stepState(elements.initial, 0) : stepState(elements.h, walk.before);
    }
    template <int stage>
    UNROLL_HOST_DEVICE void ask(std::int64_t round, std::int64_t b, std::int64_t j) const
    {
        const auto step = at<GruMixElements<T>>(round);
        for (int part = 0; part < 3 && stage == 0; ++part)
            step.ask(step.u, b, part * step.width + j);
    }
    template <int stage>
    UNROLL_HOST_DEVICE void take(std::int64_t round, std::int64_t b, std::int64_t j, const T* sums) const
    {
        if constexpr (resetsAfter)
            at<GruMixElements<T>>(round).take(b, j, sums[0], sums[1], sums[2]);
        else if constexpr (stage == 0)
            at<GruResetElements<T>>(round).take(b, j, sums[0], sums[1]);
        else
            at<GruMixElements<T>>(round).take(b, j, sums[0]);
    }

private:
    template <class Step>
    UNROLL_HOST_DEVICE Step at(std::int64_t round) const
    {
        Step step{elements};
        step.walk = step.StepElements::at(round);
        return step;
    }
};

/// A turn: what the gradients of the sums of the step after it give to the state, then the step's own; where the reset
/// acts before n's product those of r in a second one, after that of n went back through it. One turn more than the
/// steps take.
template <typename T, bool resetsAfter>
struct GruBackwardPass {
    using Number = T;
    static constexpr int stages = resetsAfter ? 1 : 2;
    template <int stage>
    static constexpr int parts = 1;

    GruBackwardElements<T> elements;
    const T* toState = nullptr; ///< (3d,d): the rows of n, r and z; or (2d,d): those of r and z
    const T* toReset = nullptr; ///< (d,d): the rows of n

    UNROLL_HOST_DEVICE const ScanDomain& domain() const { return elements; }
    UNROLL_HOST_DEVICE std::int64_t turns() const { return elements.steps * stages + 1; }

    /// Sum j is along column j.
    template <int stage>
    UNROLL_HOST_DEVICE StepMatrix<T> matrix() const
    {
        const std::int64_t d = elements.width;
        return stage == 1 ? StepMatrix<T>{toReset, d, d, 1, 0}
                          : StepMatrix<T>{toState, (resetsAfter ? 3 : 2) * d, d, 1, 0};
    }
    template <int stage>
    UNROLL_HOST_DEVICE StepState<T> read(std::int64_t round) const
    {
        if constexpr (stage == 1)
            return stepState(elements.gradU, stepOf(round), 2 * elements.width);
        const Rows<T>& gradients = resetsAfter ? elements.gradGated : elements.gradU;
        return round == 0 ? StepState<T>{} : stepState(gradients, stepOf(round - 1));
    }
    template <int stage>
    UNROLL_HOST_DEVICE void ask(std::int64_t round, std::int64_t b, std::int64_t j) const
    {
        if (stage == 1 || round == elements.steps)
            return;
        const auto step = at<GruCandidateGradients<T>>(round);
        for (int part = 0; part < 4; ++part)
            step.ask(step.kept, b, part * step.width + j);
        step.ask(step.h, b, j);
        step.ask(step.gradH, b, j);
    }
    template <int stage>
    UNROLL_HOST_DEVICE void take(std::int64_t round, std::int64_t b, std::int64_t j, const T* sums) const
    {
        if constexpr (stage == 1)
            return at<GruResetGradients<T>>(round).take(b, j, sums[0]);
        elements.carry.row(0, b)[j] += sums[0];
        if (round < elements.steps)
            at<GruCandidateGradients<T>>(round)(b, j);
    }

private:
    UNROLL_HOST_DEVICE std::int64_t stepOf(std::int64_t round) const
    {
        return elements.at(elements.steps - 1 - round).step;
    }
    template <class Step>
    UNROLL_HOST_DEVICE Step at(std::int64_t round) const
    {
        Step step{elements};
        step.walk = step.StepElements::at(step.steps - 1 - round);
        return step;
    }
};

template <typename T, bool resetsAfter>
bool complete(const GruForwardPass<T, resetsAfter>& pass)
{
    return pass.elements.holds(pass.weight != nullptr, pass.elements.u && pass.elements.h && pass.elements.kept);
}

template <typename T, bool resetsAfter>
bool complete(const GruBackwardPass<T, resetsAfter>& pass)
{
    const auto& elements = pass.elements;
    const bool sequences = elements.h && elements.kept && elements.gradU && (!resetsAfter || bool(elements.gradGated));
    return elements.holds(elements.carry && pass.toState && (resetsAfter || pass.toReset), sequences);
}

} // namespace unroll::kernels
