// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <cmath>

namespace unroll::nodes::mlstm {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x");
    const std::int64_t heads = step.integer("num_heads"), n = step.integer("units") / heads;
    const double cap = step.real("gate_soft_cap");
    const auto capped = [&](const onnx::Value& a) { return cap > 0 ? cap * tanh(a / cap) : a; };
    const auto byHead = [&](const std::string& name) { return reshape(step.dense(name, x), {0, heads, n}); };
    const auto state = split(step.state().front(), {heads * n * (n + 1), heads});
    const onnx::Value write = capped(step.dense("igate_preact", x));
    const onnx::Value kept = logSigmoid(capped(step.dense("fgate_preact", x))) + state[1];
    const onnx::Value m = maximum(kept, write);
    const onnx::Value i = unsqueeze(exp(write - m), -1), f = reshape(exp(kept - m), {0, heads, 1, 1});
    const onnx::Value v = padded(byHead("v"), 3, 1, 1); // a 1: what n sums up
    const onnx::Value S =
        f * reshape(state[0], {0, heads, n, n + 1}) + unsqueeze(i * byHead("k"), -1) * unsqueeze(v, -2);
    const onnx::Value q = byHead("q") * (1 / std::sqrt(static_cast<double>(n)));
    const onnx::Value read = squeeze(matmul(unsqueeze(q, -2), S), -2);
    const onnx::Value sum = maximum(abs(onnx::slice(read, n, n + 1)), unsqueeze(exp(-m), -1));
    const onnx::Value normed = flatten(layerNorm(onnx::slice(read, 0, n) / (sum + 1e-6), {}, {}, 1e-6));
    const onnx::Value shown = normed * step.weight("multihead_norm.weight") * sigmoid(step.dense("ogate_preact", x));
    step.out("y", step.dense("out_proj", shown));
    step.next({onnx::concat({flatten(S), m})});
    return {};
}

} // namespace unroll::nodes::mlstm
