// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/gru_steps/gru_steps_params.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

struct GruStepsArguments {
    at::Tensor u;                      ///< (T,B,3d) products of the inputs for r, z and n, biases added
    at::Tensor weight;                 ///< (3d,d) of the state, rows of r, z and n: torch.nn's weight_hh
    std::optional<at::Tensor> bias;    ///< (d) of n, inside the product that r gates; with ResetAfter, or absent
    std::optional<at::Tensor> initial; ///< (B,d), or absent: zeros
    std::optional<at::Tensor> mask;    ///< (T,B) bool or uint8, true = a real step, or absent
    GruConvention convention = GruConvention::ResetAfter;
    bool reverse = false; ///< steps are walked from T-1 down to 0
    bool keeps = true;    ///< false: `kept` stays empty, and no gradient can be asked for
};

struct GruStepsResult {
    at::Tensor h;    ///< (T,B,d) state after each step
    at::Tensor last; ///< (B,d) state after the last step walked; the initial state when T = 0
    /// (T,B,4d), or without elements: the sums that r and z are sigmoids of, n, and what r gates: W_n h_{t-1} + bias,
    /// or with ResetBefore* r h_{t-1}. At masked steps too. Carries no gradient.
    at::Tensor kept;
};

/// The steps of a gated recurrent unit, the products of the inputs made before, in the form of cuDNN and torch.nn.GRU
/// (ResetAfter) or of Cho et al. 2014, arXiv:1406.1078 (ResetBefore; with InvertedZ an open z replaces the state):
///
///     r = sigmoid(u_r + W_r h_{t-1}),  z = sigmoid(u_z + W_z h_{t-1})
///     n = tanh(u_n + r (W_n h_{t-1} + bias))   or   tanh(u_n + W_n (r h_{t-1}))
///     h_t = z h_{t-1} + (1 - z) n              or   (1 - z) h_{t-1} + z n
///
/// fp32 or fp64. On the CPU the weight is packed once a call and stays in cache from step to step; threads split the
/// batch, so that none waits for another. On CUDA all steps are one launch each way, the weight in the shared memory of
/// its blocks (persistent_rnn.h), where that holds it and sequences are few; else torch makes the products, step by
/// step, and kernels of ours all between them. A profile says which, and UNROLL_STEPS_WAY=persistent or products has it
/// one way. At a masked step the state is held; u gets no gradient from it. h and last carry gradients to u, weight,
/// bias and initial; second derivatives are refused. Operations of a step forward: 6 B d^2, backward 12 B d^2. Zero T,
/// B or d is allowed. Throws c10::Error that names the argument, what was expected and what came. The op is
/// unroll::gru_steps, its gradient unroll::gru_steps_backward.
GruStepsResult gruSteps(const GruStepsArguments& arguments);

} // namespace unroll::kernels
