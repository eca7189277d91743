// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::head {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), table = step.in("table");
    const onnx::Value weight = table ? table : step.weight("weight");
    step.out("logits", step.text("readout") == "none" ? x : onnx::linear(x, weight, step.weight("bias")));
    return {};
}

} // namespace unroll::nodes::head
