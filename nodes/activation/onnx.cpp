// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"
#include "nodes/shared/onnx_activations.h"

namespace unroll::nodes::activation {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", elementOperators(step.text("function"), step.in("x")));
    return {};
}

} // namespace unroll::nodes::activation
