// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::sparse_ffn {

/// Rows of the kept units are gathered: what is not kept is not multiplied.
Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t block = step.integer("block_size"), blocks = step.integer("inner") / block;
    const onnx::Value x = step.in("x");
    const onnx::Value scores = onnx::linear(onnx::linear(x, step.weight("weight_low")), step.weight("weight_control"));
    std::vector<std::int64_t> first;
    for (std::int64_t i = 0; i < blocks; ++i)
        first.push_back(i * block);
    const onnx::Value rows = argmax(reshape(scores, {0, blocks, block}), 2) + step.graph().whole(first); // [B, blocks]
    onnx::Value h = matmul(gather(step.weight("weight_up"), rows), unsqueeze(x, 2)); // [B, blocks, 1]
    if (step.hasWeight("bias_up"))
        h = h + unsqueeze(gather(step.weight("bias_up"), rows), 2);
    const onnx::Value kept = transpose(relu(h), {0, 2, 1});
    const onnx::Value y = squeeze(matmul(kept, gather(step.weight("weight_down"), rows)), 1);
    step.out("y", step.hasWeight("bias_down") ? y + step.weight("bias_down") : y);
    return {};
}

} // namespace unroll::nodes::sparse_ffn
