// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_conv.h"

namespace unroll::nodes::mamba {

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t inner = step.integer("expand") * step.inputSize("x"), n = step.integer("state_size");
    const std::int64_t taps = step.integer("kernel_size"), width = step.inputSize("x");
    const std::int64_t rank = step.integer("dt_rank") > 0 ? step.integer("dt_rank") : (width + 15) / 16;
    const auto state = split(step.state().front(), {inner * n, (taps - 1) * inner});
    const auto parts = chunk(step.dense("in_proj", step.in("x")), 2); // u z
    const StepConv conv = stepConv(step, parts[0], state[1], taps, inner);
    const auto read = split(step.dense("x_proj", conv.y), {rank, n, n}); // d B C
    const onnx::Value delta = softplus(step.dense("dt_proj", read[0]));
    const onnx::Value decay = exp(unsqueeze(delta, -1) * -exp(step.weight("A_log"))); // [B, inner, n]
    const onnx::Value h =
        decay * reshape(state[0], {0, inner, n}) + unsqueeze(delta * conv.y, -1) * unsqueeze(read[1], 1);
    const onnx::Value told = squeeze(matmul(h, unsqueeze(read[2], -1)), -1) + step.weight("D") * conv.y;
    step.out("y", step.dense("out_proj", told * silu(parts[1])));
    step.next({onnx::concat({flatten(h), conv.past})});
    return {};
}

} // namespace unroll::nodes::mamba
