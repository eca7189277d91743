// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/rnn_steps/rnn_steps_params.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

struct RnnStepsArguments {
    at::Tensor u;                                   ///< (T,B,d) products of the inputs, biases added
    at::Tensor weight;                              ///< (d,d) of the state: torch.nn's weight_hh
    std::optional<at::Tensor> initial;              ///< (B,d), or absent: zeros
    std::optional<at::Tensor> mask;                 ///< (T,B) bool or uint8, true = a real step, or absent
    RnnActivation activation = RnnActivation::Tanh; ///< tanh or relu
    bool reverse = false;                           ///< steps are walked from T-1 down to 0
};

struct RnnStepsResult {
    at::Tensor h;    ///< (T,B,d) state after each step
    at::Tensor last; ///< (B,d) state after the last step walked; the initial state when T = 0
};

/// The steps of a simple recurrent network (Elman 1990; the form of torch.nn.RNN), the products of the inputs made
/// before:
///
///     h_t = act(u_t + weight h_{t-1})
///
/// fp32 or fp64. On the CPU the weight is packed once a call and stays in cache from step to step; threads split the
/// batch, so that none waits for another. On CUDA all steps are one launch each way, the weight in the shared memory of
/// its blocks (persistent_rnn.h), where that holds it and sequences are few; else torch makes the products, step by
/// step, and kernels of ours all between them. A profile says which, and UNROLL_STEPS_WAY=persistent or products has it
/// one way. At a masked step the state is held; u gets no gradient from it. Both outputs carry gradients to u, weight
/// and initial; second derivatives are refused. Only h is kept. Operations of a step forward: 2 B d^2, backward 4 B
/// d^2. Zero T, B or d is allowed. Throws c10::Error that names the argument, what was expected and what came. The op
/// is unroll::rnn_steps, its gradient unroll::rnn_steps_backward.
RnnStepsResult rnnSteps(const RnnStepsArguments& arguments);

} // namespace unroll::kernels
