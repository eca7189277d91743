// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_delta.h"

namespace unroll::nodes::delta_product {

Result<void> writeStep(onnx::Step& step)
{
    deltaRuleStep(step, {.householders = step.integer("num_householder"), .forgets = step.boolean("use_forget_gate")});
    return {};
}

} // namespace unroll::nodes::delta_product
