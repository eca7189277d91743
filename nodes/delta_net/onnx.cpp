// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_delta.h"

namespace unroll::nodes::delta_net {

Result<void> writeStep(onnx::Step& step)
{
    deltaRuleStep(step, {});
    return {};
}

} // namespace unroll::nodes::delta_net
