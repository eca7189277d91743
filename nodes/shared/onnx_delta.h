// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

namespace unroll::nodes {

struct DeltaForm {
    std::int64_t householders = 1; ///< steps of the rule a token
    bool forgets = false;
};

/// A step of DeltaNet, Gated DeltaNet and DeltaProduct (delta_rule.py): S of every head, then the inputs of the short
/// convolutions, is the state. Gated where there is a g_proj.
void deltaRuleStep(onnx::Step& step, const DeltaForm& form);

} // namespace unroll::nodes
