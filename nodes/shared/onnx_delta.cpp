// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_delta.h"

#include "nodes/shared/onnx_conv.h"

#include <cmath>

namespace unroll::nodes {
namespace {

/// What the rule reads, by head: q [B, heads, n], keys and values [B, householders, heads, n].
struct DeltaRead {
    onnx::Value q, keys, values;
    onnx::Value past; ///< of the convolutions, after the step; empty without them
};

onnx::Value unitLength(const onnx::Value& x)
{
    return x / sqrt(sum(x * x, -1, true) + 1e-6);
}

DeltaRead deltaRead(onnx::Step& step, const DeltaForm& form, const onnx::Value& past, std::int64_t taps)
{
    const std::int64_t units = step.integer("units"), heads = step.integer("num_heads"), n = units / heads;
    const std::int64_t rules = form.householders * units, width = units + 2 * rules;
    const onnx::Value x = step.in("x");
    const onnx::Value given = onnx::concat({step.dense("q_proj", x), step.dense("k_proj", x), step.dense("v_proj", x)});
    StepConv read{silu(given), {}};
    if (taps > 1) {
        const onnx::Value kernel = onnx::concat(
            {step.weight("q_conv1d.weight"), step.weight("k_conv1d.weight"), step.weight("v_conv1d.weight")}, 0);
        read = stepConv({kernel, {}, taps, width}, given, past);
    }
    const auto parts = split(read.y, {units, rules, rules});
    const onnx::Value q = unitLength(reshape(parts[0], {0, heads, n}));
    return {q * (1 / std::sqrt(static_cast<double>(n))),
            unitLength(reshape(parts[1], {0, form.householders, heads, n})),
            reshape(parts[2], {0, form.householders, heads, n}), read.past};
}

/// exp(-exp(A_log) softplus(W_a x + dt_bias)), [B, heads, 1, 1].
onnx::Value deltaDecay(onnx::Step& step, std::int64_t heads)
{
    const onnx::Value rate = softplus(step.dense("a_proj", step.in("x")) + step.weight("dt_bias"));
    return reshape(exp(rate * -exp(step.weight("A_log"))), {0, heads, 1, 1});
}

} // namespace

void deltaRuleStep(onnx::Step& step, const DeltaForm& form)
{
    const std::int64_t units = step.integer("units"), heads = step.integer("num_heads"), n = units / heads;
    const std::int64_t taps = step.boolean("use_short_conv") ? step.integer("kernel_size") : 1;
    const std::int64_t held = heads * n * n, kept = (taps - 1) * (units + 2 * form.householders * units);
    const onnx::Value state = step.state().front(), x = step.in("x");
    const DeltaRead read =
        deltaRead(step, form, taps > 1 ? onnx::slice(state, held, held + kept) : onnx::Value{}, taps);
    const double strength = step.boolean("negative_eigenvalues") ? 2 : 1;
    const onnx::Value beta = reshape(strength * sigmoid(step.dense("b_proj", x)), {0, form.householders, heads, 1, 1});
    onnx::Value S = reshape(taps > 1 ? onnx::slice(state, 0, held) : state, {0, heads, n, n});
    if (form.forgets)
        S = deltaDecay(step, heads) * S;
    for (std::int64_t i = 0; i < form.householders; ++i) {
        const onnx::Value key = pick(read.keys, i, 1), value = unsqueeze(pick(read.values, i, 1), -2);
        const onnx::Value r = pick(beta, i, 1) * (value - matmul(unsqueeze(key, -2), S));
        S = S + unsqueeze(key, -1) * r;
    }
    onnx::Value y = rmsNorm(squeeze(matmul(unsqueeze(read.q, -2), S), -2), step.weight("o_norm.weight"), 1e-5);
    if (step.hasWeight("g_proj.weight"))
        y = y * reshape(silu(step.dense("g_proj", x)), {0, heads, n});
    step.out("y", step.dense("o_proj", flatten(y)));
    step.next({taps > 1 ? onnx::concat({flatten(S), read.past}) : flatten(S)});
}

} // namespace unroll::nodes
