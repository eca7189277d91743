// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"
#include "nodes/shared/onnx_activations.h"

namespace unroll::nodes::activation {

Result<void> writeStep(onnx::Step& step)
{
    const std::string& function = step.text("function");
    const onnx::Value x = step.in("x");
    step.out("y", function == "threshold" ? where(greater(x, step.real("threshold")), x, step.real("default_value"))
                                          : activationOperators(function, x, step.inputSize("x")));
    return {};
}

} // namespace unroll::nodes::activation
