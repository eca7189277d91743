// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <cmath>

namespace unroll::nodes::gla {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x");
    const std::int64_t heads = step.integer("num_heads"), n = step.integer("units") / heads;
    const auto byHead = [&](const onnx::Value& value) { return reshape(value, {0, heads, n}); };
    const onnx::Value q = byHead(step.dense("q_proj", x)) * (1 / std::sqrt(static_cast<double>(n)));
    const onnx::Value k = byHead(step.dense("k_proj", x)), v = byHead(step.dense("v_proj", x));
    const onnx::Value open = byHead(step.dense("gk_proj.1", step.dense("gk_proj.0", x)));
    const onnx::Value a = exp(logSigmoid(open) / step.real("gate_normalizer"));
    const onnx::Value S = unsqueeze(a, -1) * reshape(step.state().front(), {0, heads, n, n}) +
                          unsqueeze(k, -1) * unsqueeze(v, -2); // [B, heads, n, n]
    const onnx::Value read = squeeze(matmul(unsqueeze(q, -2), S), -2);
    const onnx::Value normed = rmsNorm(read, step.weight("g_norm_swish_gate.weight"), 1e-5);
    step.out("y", step.dense("o_proj", flatten(normed * silu(byHead(step.dense("g_proj", x))))));
    step.next({flatten(S)});
    return {};
}

} // namespace unroll::nodes::gla
