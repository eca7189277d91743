// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_activations.h"
#include "nodes/shared/onnx_ternary.h"

namespace unroll::nodes::glu {

static onnx::Value layerOf(onnx::Step& step, const std::string& name, const onnx::Value& x)
{
    if (!step.hasWeight("gain_" + name))
        return onnx::linear(x, step.weight("weight_" + name), step.weight("bias_" + name));
    return ternaryLayer(step, {.gain = "gain_" + name, .weight = "weight_" + name, .bias = "bias_" + name}, x);
}

Result<void> writeStep(onnx::Step& step)
{
    const auto parts = chunk(layerOf(step, "up", step.in("x")), 2);
    step.out("y", layerOf(step, "down", elementOperators(step.text("activation"), parts[0]) * parts[1]));
    return {};
}

} // namespace unroll::nodes::glu
