// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/cell_steps/cell_steps_params.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace unroll::kernels {

struct CellStepsArguments {
    at::Tensor u;                      ///< (T,B,G d) products of the inputs, biases added: by head, then by gate
    at::Tensor weight;                 ///< (heads, G d/heads, d/heads) of h; or (d): a diagonal, of cells with one gate
    std::optional<at::Tensor> initial; ///< (B,S d), the state's parts side by side, or absent: zeros
    std::optional<at::Tensor> mask;    ///< (T,B) bool or uint8, true = a real step, or absent
    StepCell cell = StepCell::Tanh;
    double beta = 0;      ///< of Janet
    bool reverse = false; ///< steps are walked from T-1 down to 0
};

struct CellStepsResult {
    at::Tensor h;      ///< (T,B,d) the first part of the state after each step
    at::Tensor walked; ///< (T,B,S d [+ G d]) all parts of it, then the sums as u lies, of cells with more than one gate
    at::Tensor last;   ///< (B,S d) state after the last step walked; the initial state when T = 0
};

/// The steps of a recurrent cell whose gates are sums of the input's product and that of h, elementwise otherwise:
///
///     a_t = u_t + weight h_{t-1}        state_t = cell(a_t, state_{t-1})
///
/// with G gates and a state of S parts of width d, the first of them h. cell_steps_params.h says what the cells are.
/// Heads do not know of each other: each has d/heads units and a block of the weight. fp32 or fp64, on the CPU alone;
/// elsewhere the blocks go step by step in torch's operations. The weight is packed once a call and stays in cache from
/// step to step; threads split the batch. At a masked step the state is held; u gets a gradient from the sums alone.
/// All outputs carry gradients to u, weight and initial; second derivatives are refused. Kept: weight and walked.
/// Operations of a step forward: 2 B G d^2 / heads, backward twice as many. Zero T, B or d is allowed. Throws
/// c10::Error that names the argument, what was expected and what came. The op is unroll::cell_steps, its gradient
/// unroll::cell_steps_backward.
CellStepsResult cellSteps(const CellStepsArguments& arguments);

} // namespace unroll::kernels
