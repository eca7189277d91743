// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_min.h"

namespace unroll::nodes::mingru {

Result<void> writeStep(onnx::Step& step)
{
    const auto parts = chunk(step.dense("to_hidden_and_gate", step.in("x")), 2);
    const onnx::Value keep = 1 - sigmoid(parts[1]), c = minActivation(step.text("activation"), parts[0]);
    const onnx::Value h = keep * step.state().front() + (1 - keep) * c;
    step.out("y", h);
    step.next({h});
    return {};
}

} // namespace unroll::nodes::mingru
