// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_bound.h"

#include <cmath>

namespace unroll::nodes::hgrn2 {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), a = step.dense("f_proj", x), q = step.dense("q_proj", x),
                      i = step.dense("i_proj", x);
    const bool hgru = step.text("convention") == "hgru";
    const std::int64_t heads = step.integer("num_heads"), n = step.integer("units") / heads;
    const auto byHead = [&](const onnx::Value& value) { return reshape(value, {0, heads, n}); };
    const LowerBound bound = lowerBound(step);
    const onnx::Value f = byHead(bound.raised(sigmoid(a))), k = byHead(bound.left(sigmoid(-a)));
    const onnx::Value asked = byHead(hgru ? sigmoid(q) : silu(q) * (1 / std::sqrt(static_cast<double>(n))));
    const onnx::Value S = unsqueeze(f, -1) * reshape(step.state().front(), {0, heads, n, n}) +
                          unsqueeze(k, -1) * unsqueeze(byHead(hgru ? silu(i) : i), -2);
    const onnx::Value read = flatten(matmul(unsqueeze(asked, -2), S)), gain = step.weight("g_norm.weight");
    const onnx::Value normed = hgru ? layerNorm(read, gain, step.weight("g_norm.bias")) : rmsNorm(read, gain, 1e-5);
    step.out("y", step.dense("o_proj", normed));
    step.next({flatten(S)});
    return {};
}

} // namespace unroll::nodes::hgrn2
