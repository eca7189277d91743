// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <cmath>

namespace unroll::nodes::linear_attention {

/// a, [heads, 1, 1].
static onnx::Value headDecays(onnx::Step& step, std::int64_t heads)
{
    const std::string& decay = step.text("decay");
    if (decay == "learned")
        return reshape(sigmoid(step.weight("logits")), {-1, 1, 1});
    std::vector<double> factors;
    for (std::int64_t head = 0; head < heads; ++head)
        factors.push_back(decay == "retnet" ? 1 - std::pow(2.0, static_cast<double>(-5 - head)) : 1);
    return step.graph().constant("decay", {heads, 1, 1}, factors);
}

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x");
    const std::int64_t heads = step.integer("num_heads"), n = step.integer("units") / heads;
    const bool elu = step.text("feature_map") == "elu", normalises = elu && step.boolean("normalize");
    const auto features = [&](const std::string& name) {
        const onnx::Value a = reshape(step.dense(name, x), {0, heads, n});
        return elu ? where(greater(a, 0.0), a + 1, exp(minimum(a, 0.0))) : a; // elu(a) + 1
    };
    const onnx::Value q = features("q_proj") * (1 / std::sqrt(static_cast<double>(n))), k = features("k_proj");
    onnx::Value v = reshape(step.dense("v_proj", x), {0, heads, n});
    onnx::Value S = reshape(step.state().front(), {0, heads, n, -1});
    if (normalises) { // a column that sums up the weights, never negative
        v = padded(v, 3, 1, 1);
        S = onnx::concat({onnx::slice(S, 0, n), abs(onnx::slice(S, n, n + 1))});
    }
    S = headDecays(step, heads) * S + unsqueeze(k, -1) * unsqueeze(v, -2);
    onnx::Value y = squeeze(matmul(unsqueeze(q, -2), S), -2);
    if (normalises)
        y = onnx::slice(y, 0, n) / (onnx::slice(y, n, n + 1) + 1e-6);
    step.out("y", step.dense("o_proj", flatten(y)));
    step.next({flatten(S)});
    return {};
}

} // namespace unroll::nodes::linear_attention
