// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::ligru {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value h = step.state().front();
    onnx::Value a = step.dense("w", step.in("x"));
    if (step.hasWeight("norm.weight"))
        a = layerNorm(a, step.weight("norm.weight"), step.weight("norm.bias"));
    const auto parts = chunk(a + step.dense("u", h), 2);
    const onnx::Value z = sigmoid(parts[1]);
    const onnx::Value candidate = step.text("nonlinearity") == "relu" ? relu(parts[0]) : tanh(parts[0]);
    const onnx::Value after = z * h + (1 - z) * candidate;
    step.out("y", after);
    step.next({after});
    return {};
}

} // namespace unroll::nodes::ligru
