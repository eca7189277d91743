// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_activations.h"
#include "nodes/shared/onnx_ternary.h"

namespace unroll::nodes::grumml {

/// A layer is named by its gates' letters: each has a scale of its own where scales are per gate.
static onnx::Value gateLayer(onnx::Step& step, const std::string& name, const onnx::Value& x)
{
    if (!step.hasWeight("gain_" + name))
        return onnx::linear(x, step.weight("weight_" + name), step.weight("bias_" + name));
    return ternaryLayer(step,
                        {.gain = "gain_" + name,
                         .weight = "weight_" + name,
                         .bias = "bias_" + name,
                         .scales = step.text("scales") == "per_gate" ? static_cast<std::int64_t>(name.size()) : 1,
                         .epsilon = step.text("variant") == "mmfreelm" ? 1e-6 : 1e-8},
                        x);
}

/// Of the layer: the shares of the layers 1 .. layer.
static onnx::Value lowerBound(const onnx::Value& table, std::int64_t layer)
{
    const onnx::Value shares = softmax(table, 0);
    return layer == 0 ? pick(shares, 0, 0) * 0 : sum(onnx::slice(shares, 1, layer + 1, 0), 0);
}

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), h = step.state().front();
    const std::string& variant = step.text("variant");
    const onnx::Value owned = step.weight("lower_bound"), table = step.in("table") ? step.in("table") : owned;
    std::vector<std::string> layers{"f", "c", "g"};
    if (variant == "keras")
        layers = step.boolean("fully_mml") ? std::vector<std::string>{"fcg"} : std::vector<std::string>{"fc", "g"};
    std::vector<onnx::Value> read;
    for (const std::string& name : layers)
        read.push_back(gateLayer(step, name, x));
    const auto a = chunk(onnx::concat(read), 3); // f c g
    const std::string &activation = step.text("activation"), &gate = step.text("recurrent_activation");
    onnx::Value f = elementOperators(gate, a[0]);
    if (variant == "mmfreelm" && table) {
        const onnx::Value bound = lowerBound(table, step.integer("layer"));
        f = bound + (1 - bound) * f;
    }
    const onnx::Value after = f * h + (1 - f) * elementOperators(activation, a[1]);
    const onnx::Value shown = variant == "mmfreelm" ? rmsNorm(a[2], step.weight("gate_norm"), 1e-6) * silu(after)
                                                    : elementOperators(gate, a[2]) * after;
    step.out("y", gateLayer(step, "o", shown));
    if (table)
        step.out("table", table);
    step.next({after});
    return {};
}

} // namespace unroll::nodes::grumml
