// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_delta.h"

namespace unroll::nodes::gated_delta_net {

Result<void> writeStep(onnx::Step& step)
{
    deltaRuleStep(step, {.forgets = true});
    return {};
}

} // namespace unroll::nodes::gated_delta_net
