// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::rg_lru {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), h = step.state().front();
    const std::int64_t heads = step.integer("num_heads");
    const auto gate = [&](const std::string& name) {
        const onnx::Value parts = reshape(x, {0, heads, 1, -1}); // [B, heads, 1, n] times [heads, n, n]
        return sigmoid(flatten(squeeze(matmul(parts, step.weight(name + ".w")), 2) + step.weight(name + ".b")));
    };
    const onnx::Value logA = gate("a_gate") * (-8.0 * softplus(step.weight("a_param")));
    constexpr double kTiny = 1.1754943508222875e-38; // the smallest normal float
    const onnx::Value left = maximum(-expm1(2 * logA), kTiny);
    const onnx::Value after = exp(logA) * h + sqrt(left) * (gate("input_gate") * x);
    step.out("y", after);
    step.next({after});
    return {};
}

} // namespace unroll::nodes::rg_lru
