// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <algorithm>
#include <cmath>

namespace unroll::nodes::retnet {

/// [n, n]: a row times it is turned on by one step; a column is turned back.
static onnx::Value turnByOneStep(onnx::Step& step, std::int64_t n)
{
    const bool xpos = step.text("rotation") == "xpos";
    const std::int64_t pairs = n / 2;
    std::vector<double> elements(static_cast<std::size_t>(n * n), 0);
    for (std::int64_t i = 0; i < pairs; ++i) {
        const double of = static_cast<double>(xpos ? std::max<std::int64_t>(pairs - 1, 1) : pairs);
        const double speed = std::pow(10000.0, -static_cast<double>(i) / of);
        const std::int64_t one = xpos ? 2 * i : i, other = xpos ? 2 * i + 1 : i + pairs;
        const auto at = [&](std::int64_t row, std::int64_t column) -> double& {
            return elements[static_cast<std::size_t>(row * n + column)];
        };
        at(one, one) = at(other, other) = std::cos(speed);
        at(one, other) = std::sin(speed);
        at(other, one) = -std::sin(speed);
    }
    return step.graph().constant("turn", {n, n}, elements);
}

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x");
    const std::int64_t heads = step.integer("num_heads"), n = step.integer("units") / heads;
    const auto byHead = [&](const std::string& name) { return reshape(step.dense(name, x), {0, heads, 1, -1}); };
    onnx::Value q = byHead("q_proj"), k = byHead("k_proj") * (1 / std::sqrt(static_cast<double>(n)));
    std::vector<double> kept;
    for (std::int64_t head = 0; head < heads; ++head)
        kept.push_back(1 - std::pow(2.0, static_cast<double>(-5 - head)));
    const onnx::Value a = step.graph().constant("decay", {heads, 1, 1}, kept);
    onnx::Value turn;
    if (step.text("rotation") != "none") {
        turn = turnByOneStep(step, n);
        q = matmul(q, turn);
        k = matmul(k, turn);
    }
    const onnx::Value S =
        a * reshape(step.state().front(), {0, heads, n, -1}) + transpose(k, {0, 1, 3, 2}) * byHead("v_proj");
    onnx::Value o = matmul(q, S);
    o = step.text("norm") == "group" ? o - mean(o, -1) : o;
    step.out("y", step.dense("out_proj", flatten(rmsNorm(o, {}, 1e-6) * silu(byHead("g_proj")))));
    step.next({flatten(turn ? matmul(turn, S) : S)}); // turned back
    return {};
}

} // namespace unroll::nodes::retnet
