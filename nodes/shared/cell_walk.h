// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/cell_steps/cell_steps.h"
#include "core/model/block.h"

#include <ATen/core/Tensor.h>

#include <vector>

namespace unroll::nodes {

/// What the kernel cell_steps makes of a sequence.
struct CellWalk {
    Value states;                 ///< [T, B, units] each, held at masked steps
    Value last;                   ///< [B, units] each
    std::vector<at::Tensor> sums; ///< of each gate, [T, B, units]; empty where the cell keeps none or nobody watches
};

/// Whether the kernel takes these steps: on the CPU, and more than one, since it packs its weight first.
bool takesCellSteps(const at::Tensor& x);

/// `arguments` without its state and mask; `state` [B, units] each, `mask` undefined: all steps are real.
CellWalk walkCell(kernels::CellStepsArguments arguments, const Value& state, const at::Tensor& mask, bool watched);

} // namespace unroll::nodes
