// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <cmath>

namespace unroll::nodes::rwkv7 {

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t width = step.inputSize("x"), n = step.integer("head_size"), heads = width / n;
    const onnx::Value x = step.in("x");
    const auto state = split(step.state().front(), {heads * n * n, width});
    const auto row = [&](const char* name) { return reshape(step.weight(name), {-1}); };
    const auto mixed = [&](const char* name) { return x + (state[1] - x) * row(name); };
    const auto byHead = [&](const onnx::Value& value) { return reshape(value, {0, heads, n}); };
    const auto ranked = [&](const onnx::Value& value, const char* first, const char* second) {
        return matmul(matmul(value, step.weight(first)), step.weight(second));
    };
    const onnx::Value decay = row("w0") + matmul(tanh(matmul(mixed("x_w"), step.weight("w1"))), step.weight("w2"));
    const onnx::Value w = byHead(exp(sigmoid(decay) * -std::exp(-0.5)));
    const onnx::Value rate = sigmoid(row("a0") + ranked(mixed("x_a"), "a1", "a2")), a = byHead(rate);
    const onnx::Value g = matmul(sigmoid(matmul(mixed("x_g"), step.weight("g1"))), step.weight("g2"));
    const onnx::Value r = byHead(step.dense("receptance", mixed("x_r"))), key = step.dense("key", mixed("x_k"));
    const onnx::Value own = step.dense("value", mixed("x_v")), first = step.in("v_first");
    const onnx::Value values =
        first ? own + (first - own) * sigmoid(row("v0") + ranked(mixed("x_v"), "v1", "v2")) : own;
    const onnx::Value v = byHead(values), asked = byHead(key * row("k_k"));
    constexpr double kLeast = 1e-12;
    const onnx::Value kappa = asked / maximum(sqrt(sum(asked * asked, -1, true)), kLeast);
    const onnx::Value k = byHead(key * (1 + (rate - 1) * row("k_a")));
    const onnx::Value before = reshape(state[0], {0, heads, n, n}), found = matmul(unsqueeze(kappa, -2), before);
    const onnx::Value S =
        unsqueeze(w, -1) * before - unsqueeze(a * kappa, -1) * found + unsqueeze(k, -1) * unsqueeze(v, -2);
    const onnx::Value read = squeeze(matmul(unsqueeze(r, -2), S), -2); // [B, heads, n], normed head by head
    const onnx::Value normed =
        flatten(layerNorm(read, {}, {}, 64e-5)) * step.weight("ln_x.weight") + step.weight("ln_x.bias");
    const onnx::Value bonus = flatten(sum(r * k * step.weight("r_k"), -1, true) * v);
    step.out("y", step.dense("output", (normed + bonus) * g));
    if (step.boolean("value_residual"))
        step.out("v", values);
    step.next({onnx::concat({flatten(S), x})});
    return {};
}

} // namespace unroll::nodes::rwkv7
