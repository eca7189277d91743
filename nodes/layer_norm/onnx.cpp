// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::layer_norm {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", layerNorm(step.in("x"), step.weight("weight"), step.weight("bias"), step.real("epsilon")));
    return {};
}

} // namespace unroll::nodes::layer_norm
