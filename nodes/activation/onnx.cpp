// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::activation {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x");
    const std::string& name = step.text("function");
    step.out("y", name == "tanh"      ? tanh(x)
                  : name == "sigmoid" ? sigmoid(x)
                  : name == "relu"    ? relu(x)
                  : name == "silu"    ? silu(x)
                  : name == "gelu"    ? gelu(x)
                                      : softplus(x));
    return {};
}

} // namespace unroll::nodes::activation
