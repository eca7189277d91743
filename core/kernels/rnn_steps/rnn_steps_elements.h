// SPDX-License-Identifier: GPL-3.0-or-later
// One number of a step of rnn_steps, beside the product of the state.
#pragma once

#include "core/kernels/rnn_steps/rnn_steps_params.h"
#include "core/kernels/scan/scalar_math.h"
#include "core/kernels/steps/step_elements.h"

namespace unroll::kernels {

template <typename T>
struct RnnForwardElements : StepElements {
    RnnActivation activation = RnnActivation::Tanh;
    Rows<const T> u;       ///< (T,B,d)
    Rows<const T> initial; ///< (B,d), or absent: zeros
    Rows<const T> sums;    ///< (B,d), weight h_{t-1}
    Rows<T> h;             ///< (T,B,d), written at this step

    UNROLL_HOST_DEVICE void operator()(std::int64_t b, std::int64_t j) const { take(b, j, sums.row(0, b)[j]); }

    /// `product`: of the weight's row j and the state before.
    UNROLL_HOST_DEVICE void take(std::int64_t b, std::int64_t j, T product) const
    {
        const T sum = *now(u, b, j) + product;
        *now(h, b, j) = real(b) ? activated(sum) : before({h.data, h.stepStride, h.batchStride}, initial, b, j);
    }

private:
    UNROLL_HOST_DEVICE T activated(T sum) const
    {
        if (activation == RnnActivation::Tanh)
            return static_cast<T>(::tanh(sum));
        return sum < 0 ? T(0) : sum; // NaN is not less
    }
};

/// Before the gradient of the sums goes back through the weight.
template <typename T>
struct RnnBackwardElements : StepElements {
    RnnActivation activation = RnnActivation::Tanh;
    Rows<const T> h;     ///< (T,B,d)
    Rows<const T> gradH; ///< (T,B,d), or absent: zeros
    Rows<T>
        carry; ///< (B,d): gradient of the state after the step, then of that before it, but for what the product adds
    Rows<T> gradU; ///< (T,B,d), written at this step

    UNROLL_HOST_DEVICE void operator()(std::int64_t b, std::int64_t j) const
    {
        T& gradState = carry.row(0, b)[j];
        gradState += nowOrZero(gradH, b, j);
        *now(gradU, b, j) = real(b) ? gradState * slope(*now(h, b, j)) : T(0);
        if (real(b))
            gradState = 0;
    }

private:
    UNROLL_HOST_DEVICE T slope(T state) const
    {
        if (activation == RnnActivation::Tanh)
            return T(1) - state * state;
        return state > 0 ? T(1) : T(0);
    }
};

/// Whether sizes make sense and every array that the step needs is there.
template <typename T>
bool complete(const RnnForwardElements<T>& step)
{
    return step.holds(bool(step.sums), step.u && step.h);
}

template <typename T>
bool complete(const RnnBackwardElements<T>& step)
{
    return step.holds(bool(step.carry), step.h && step.gradU);
}

} // namespace unroll::kernels
