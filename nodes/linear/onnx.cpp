// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::linear {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", onnx::linear(step.in("x"), step.weight("weight"), step.weight("bias")));
    return {};
}

} // namespace unroll::nodes::linear
