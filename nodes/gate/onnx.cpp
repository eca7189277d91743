// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::gate {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value read = onnx::linear(step.in("x"), step.weight("weight"), step.weight("bias"));
    step.out("y", sigmoid(read + step.weight("weight_c") * step.in("c")));
    return {};
}

} // namespace unroll::nodes::gate
