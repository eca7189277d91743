// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace unroll::kernels {

struct CfcStepsArguments {
    at::Tensor u;                          ///< (T,B,p) products of the inputs with the backbone, its bias added
    at::Tensor weight;                     ///< (p,d) of h
    std::vector<at::Tensor> heads;         ///< 4 of (d,p): both candidates, then the time gate's slope and offset
    at::Tensor bias;                       ///< (4d)
    std::optional<at::Tensor> time;        ///< (T,B,d) since the step before, or absent: 1
    std::optional<at::Tensor> initial;     ///< (B,d), or absent: zeros
    std::optional<at::Tensor> mask;        ///< (T,B) bool or uint8, true = a real step, or absent
    std::string activation = "lecun_tanh"; ///< or "tanh", "relu", "silu"
    bool gated = true;                     ///< h = (1 - g) v1 + g v2; else v1 + g v2
    bool reverse = false;                  ///< steps are walked from T-1 down to 0
};

struct CfcStepsResult {
    at::Tensor h;      ///< (T,B,d) after each step
    at::Tensor walked; ///< (T,B,d+p+4d) h, then the sums of the backbone and those of the heads
    at::Tensor last;   ///< (B,d) state after the last step walked; the initial state when T = 0
};

/// The steps of a closed-form continuous-time network (Hasani et al. 2022) with one backbone layer:
///
///     z_t = act(u_t + weight h_{t-1})        v1, v2, a, b = heads z_t + bias, v1 and v2 through tanh
///     g_t = s(a time_t + b)                  h_t = (1 - g_t) v1 + g_t v2, or v1 + g_t v2
///
/// fp32 or fp64, on the CPU alone; elsewhere the block goes step by step in torch's operations. Both weights are packed
/// once a call and stay in cache from step to step; threads split the batch. At a masked step the state is held; u and
/// time get a gradient from the sums alone. All outputs carry gradients to all inputs but the mask; second derivatives
/// are refused. Kept: weights, time and walked. Operations of a step forward: 10 B d p, backward twice as many. Zero T,
/// B, d or p is allowed. Throws c10::Error that names the argument, what was expected and what came. The op is
/// unroll::cfc_steps, its gradient unroll::cfc_steps_backward.
CfcStepsResult cfcSteps(const CfcStepsArguments& arguments);

} // namespace unroll::kernels
