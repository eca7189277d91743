// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <fmt/format.h>

namespace unroll::nodes::cfc {

static onnx::Value backboneFunction(const std::string& name, const onnx::Value& a)
{
    if (name == "lecun_tanh")
        return 1.7159 * tanh(0.666 * a);
    return name == "tanh" ? tanh(a) : name == "relu" ? relu(a) : name == "silu" ? silu(a) : gelu(a);
}

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), h = step.state().front(), dt = step.in("dt");
    onnx::Value z = onnx::concat({x, h});
    for (std::int64_t layer = 0; layer < step.integer("backbone_layers"); ++layer)
        z = backboneFunction(step.text("backbone_activation"), step.dense(fmt::format("backbone.{}", 2 * layer), z));
    const std::string& mode = step.text("mode");
    onnx::Value after = step.dense("ff1", z);
    if (mode == "pure") {
        const onnx::Value rate = abs(step.weight("w_tau")) + abs(after), A = step.weight("A");
        after = A - A * exp(-(dt ? rate * dt : rate)) * after;
    } else {
        const onnx::Value u = tanh(after), v = tanh(step.dense("ff2", z)), a = step.dense("time_a", z);
        const onnx::Value g = sigmoid((dt ? a * dt : a) + step.dense("time_b", z));
        after = (mode == "no_gate" ? u : u * (1 - g)) + g * v;
    }
    step.out("y", after);
    step.next({after});
    return {};
}

} // namespace unroll::nodes::cfc
