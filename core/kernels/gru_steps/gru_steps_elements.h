// SPDX-License-Identifier: GPL-3.0-or-later
// One number of a step of gru_steps, beside the products of the state.
#pragma once

#include "core/kernels/gru_steps/gru_steps_params.h"
#include "core/kernels/scan/scalar_math.h"
#include "core/kernels/steps/step_elements.h"

namespace unroll::kernels {

template <typename T>
struct GruElements : StepElements {
    GruConvention convention = GruConvention::ResetAfter;
    Rows<const T> initial; ///< (B,d), or absent: zeros

    UNROLL_HOST_DEVICE bool resetsAfter() const { return convention == GruConvention::ResetAfter; }

    /// How much of the state z keeps (open), and how much of the candidate it writes (shut).
    UNROLL_HOST_DEVICE ScalarGate<T> keepAndWrite(T z) const
    {
        const ScalarGate<T> gate = scalarGate(z);
        return convention == GruConvention::ResetBeforeInvertedZ ? ScalarGate<T>{gate.shut, gate.open} : gate;
    }
};

template <typename T>
struct GruForwardElements : GruElements<T> {
    Rows<const T> u;          ///< (T,B,3d)
    Rows<const T> sums;       ///< (B,3d) of r, z and n, or where the reset acts before the product (B,2d)
    Rows<const T> candidates; ///< (B,d), of n then
    const T* bias = nullptr;  ///< (d), or absent: zeros
    Rows<T> h;                ///< (T,B,d), written at this step
    Rows<T> kept;             ///< (T,B,4d) r, z, n and what r gates, written at this step

    UNROLL_HOST_DEVICE T stateBefore(std::int64_t b, std::int64_t j) const
    {
        return this->before({h.data, h.stepStride, h.batchStride}, this->initial, b, j);
    }
    UNROLL_HOST_DEVICE T& keptPart(int part, std::int64_t b, std::int64_t j) const
    {
        return *this->now(kept, b, part * this->width + j);
    }
    UNROLL_HOST_DEVICE T input(int part, std::int64_t b, std::int64_t j) const
    {
        return *this->now(u, b, part * this->width + j);
    }
    UNROLL_HOST_DEVICE T product(int part, std::int64_t b, std::int64_t j) const
    {
        return sums.row(0, b)[part * this->width + j];
    }
    /// The sums of r and z, kept; `r` and `z` are their products.
    UNROLL_HOST_DEVICE void keepGates(std::int64_t b, std::int64_t j, T r, T z) const
    {
        keptPart(0, b, j) = input(0, b, j) + r;
        keptPart(1, b, j) = input(1, b, j) + z;
    }
};

/// Where the reset acts before n's product: what that reads, r h.
template <typename T>
struct GruResetElements : GruForwardElements<T> {
    UNROLL_HOST_DEVICE void operator()(std::int64_t b, std::int64_t j) const
    {
        take(b, j, this->product(0, b, j), this->product(1, b, j));
    }
    UNROLL_HOST_DEVICE void take(std::int64_t b, std::int64_t j, T r, T z) const
    {
        this->keepGates(b, j, r, z);
        this->keptPart(3, b, j) = scalarGate(this->keptPart(0, b, j)).open * this->stateBefore(b, j);
    }
};

/// The rest of a step.
template <typename T>
struct GruMixElements : GruForwardElements<T> {
    UNROLL_HOST_DEVICE void operator()(std::int64_t b, std::int64_t j) const
    {
        if (this->resetsAfter())
            take(b, j, this->product(0, b, j), this->product(1, b, j), this->product(2, b, j));
        else
            take(b, j, this->candidates.row(0, b)[j]);
    }
    /// Where the reset acts after n's product: all of a step, from its products.
    UNROLL_HOST_DEVICE void take(std::int64_t b, std::int64_t j, T r, T z, T n) const
    {
        this->keepGates(b, j, r, z);
        const T gated = n + (this->bias != nullptr ? this->bias[j] : T(0));
        this->keptPart(3, b, j) = gated;
        mix(b, j, this->input(2, b, j) + scalarGate(this->keptPart(0, b, j)).open * gated);
    }
    /// Where it acts before.
    UNROLL_HOST_DEVICE void take(std::int64_t b, std::int64_t j, T n) const { mix(b, j, this->input(2, b, j) + n); }

private:
    /// `candidate`: what n is the tanh of.
    UNROLL_HOST_DEVICE void mix(std::int64_t b, std::int64_t j, T candidate) const
    {
        const T n = static_cast<T>(::tanh(candidate)), state = this->stateBefore(b, j);
        this->keptPart(2, b, j) = n;
        const ScalarGate<T> gate = this->keepAndWrite(this->keptPart(1, b, j));
        *this->now(this->h, b, j) = this->real(b) ? gate.open * state + gate.shut * n : state;
    }
};

template <typename T>
struct GruBackwardElements : GruElements<T> {
    Rows<const T> h, kept;   ///< as the forward pass wrote them
    Rows<const T> gradH;     ///< (T,B,d), or absent: zeros
    Rows<const T> gradReset; ///< (B,d): of r h, where the reset acts before n's product
    Rows<T> carry; ///< (B,d): gradient of the state after the step, then of that before it, but for what products add
    Rows<T> gradU, gradGated; ///< (T,B,3d) and, where the reset acts after n's product, (T,B,d): written at this step

    UNROLL_HOST_DEVICE T keptPart(int part, std::int64_t b, std::int64_t j) const
    {
        return *this->now(kept, b, part * this->width + j);
    }
    UNROLL_HOST_DEVICE T& gradPart(int part, std::int64_t b, std::int64_t j) const
    {
        return *this->now(gradU, b, part * this->width + j);
    }
    UNROLL_HOST_DEVICE T stateBefore(std::int64_t b, std::int64_t j) const
    {
        return this->before(h, this->initial, b, j);
    }
};

/// Back to the sums of z and n and, where the reset acts after n's product, to that of r.
template <typename T>
struct GruCandidateGradients : GruBackwardElements<T> {
    UNROLL_HOST_DEVICE void operator()(std::int64_t b, std::int64_t j) const
    {
        T& gradState = this->carry.row(0, b)[j];
        gradState += this->nowOrZero(this->gradH, b, j);
        if (!this->real(b))
            return hold(b, j);
        const T gradN = throughMix(gradState, b, j);
        if (this->resetsAfter())
            throughReset(gradN, b, j);
    }

private:
    UNROLL_HOST_DEVICE T throughMix(T& gradState, std::int64_t b, std::int64_t j) const
    {
        const T n = this->keptPart(2, b, j), state = this->stateBefore(b, j);
        const ScalarGate<T> gate = this->keepAndWrite(this->keptPart(1, b, j));
        const T rise = this->convention == GruConvention::ResetBeforeInvertedZ ? n - state : state - n;
        const T written = gradState * gate.shut, gradN = written * (T(1) - n * n);
        this->gradPart(1, b, j) = written * gate.open * rise;
        this->gradPart(2, b, j) = gradN;
        gradState *= gate.open;
        return gradN;
    }
    /// A masked step: the state went through.
    UNROLL_HOST_DEVICE void hold(std::int64_t b, std::int64_t j) const
    {
        for (int part = 0; part < 3; ++part)
            this->gradPart(part, b, j) = 0;
        if (this->resetsAfter())
            *this->now(this->gradGated, b, j) = 0;
    }
    UNROLL_HOST_DEVICE void throughReset(T gradN, std::int64_t b, std::int64_t j) const
    {
        const ScalarGate<T> r = scalarGate(this->keptPart(0, b, j));
        const T through = gradN * r.open;
        *this->now(this->gradGated, b, j) = through;
        this->gradPart(0, b, j) = through * r.shut * this->keptPart(3, b, j);
    }
};

/// Where the reset acts before n's product: back to the sum of r and to the state.
template <typename T>
struct GruResetGradients : GruBackwardElements<T> {
    UNROLL_HOST_DEVICE void operator()(std::int64_t b, std::int64_t j) const
    {
        take(b, j, this->gradReset.row(0, b)[j]);
    }
    /// `arriving`: the gradient of r h.
    UNROLL_HOST_DEVICE void take(std::int64_t b, std::int64_t j, T arriving) const
    {
        if (!this->real(b))
            return;
        const ScalarGate<T> r = scalarGate(this->keptPart(0, b, j));
        const T through = arriving * r.open;
        this->gradPart(0, b, j) = through * r.shut * this->stateBefore(b, j);
        this->carry.row(0, b)[j] += through;
    }
};

/// Whether sizes make sense and every array that the step needs is there.
template <typename T>
bool complete(const GruForwardElements<T>& step)
{
    return step.holds(step.sums && (step.resetsAfter() || step.candidates), step.u && step.h && step.kept);
}

template <typename T>
bool complete(const GruBackwardElements<T>& step)
{
    const bool reset = step.resetsAfter() ? bool(step.gradGated) : bool(step.gradReset);
    return step.holds(bool(step.carry), step.h && step.kept && step.gradU && reset);
}

} // namespace unroll::kernels
