// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_conv.h"

namespace unroll::nodes::mamba2 {

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t inner = step.integer("expand") * step.inputSize("x"), n = step.integer("state_size");
    const std::int64_t heads = inner / step.integer("head_size"), taps = step.integer("kernel_size");
    const std::int64_t read = inner + 2 * n;
    const auto state = split(step.state().front(), {inner * n, (taps - 1) * read});
    const auto parts = split(step.dense("in_proj", step.in("x")), {inner, read, heads}); // z u d
    const StepConv conv = stepConv(step, parts[1], state[1], taps, read);
    const auto seen = split(conv.y, {inner, n, n}); // v B C
    const onnx::Value v = reshape(seen[0], {0, heads, -1}), delta = softplus(parts[2] + step.weight("dt_bias"));
    const onnx::Value decay = reshape(exp(delta * -exp(step.weight("A_log"))), {0, heads, 1, 1});
    const onnx::Value key = reshape(seen[1], {0, 1, n, 1}), query = reshape(seen[2], {0, 1, 1, n});
    // S [B, heads, n, head_size].
    const onnx::Value S = decay * reshape(state[0], {0, heads, n, -1}) + key * unsqueeze(unsqueeze(delta, -1) * v, 2);
    const onnx::Value told = squeeze(matmul(query, S), 2) + unsqueeze(step.weight("D"), -1) * v;
    step.out("y", step.dense("out_proj", rmsNorm(flatten(told) * silu(parts[0]), step.weight("norm.weight"), 1e-5)));
    step.next({onnx::concat({flatten(S), conv.past})});
    return {};
}

} // namespace unroll::nodes::mamba2
