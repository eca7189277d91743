// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::bce {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), weight = step.weight("weight");
    step.out("logits", weight ? onnx::linear(x, weight, step.weight("bias")) : x);
    return {};
}

} // namespace unroll::nodes::bce
