// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/attention/form.h"
#include "nodes/shared/onnx_attention.h"

namespace unroll::nodes::attention {

Result<void> writeStep(onnx::Step& step)
{
    const bool learned = step.text("positions") == "learned";
    const bool projections = step.boolean("projections");
    const auto [keys, values] = sizesOf(step, step.inputSize("x"));
    const std::int64_t window = step.integer("window");
    onnx::Value x = step.in("x");
    if (learned) {
        const onnx::Value position = toWhole(squeeze(stepNumber(step.state().front(), keys + values, window), -1) - 1);
        x = x + gather(step.weight("position.weight"), position);
    }
    const onnx::Value qkv =
        projections ? onnx::linear(x, step.weight("in_proj_weight"), step.weight("in_proj_bias")) : x;
    const auto parts = split(qkv, {keys, keys, values});
    AttentionStep attention{parts[0], parts[1], parts[2], keys, step.integer("num_heads"), window};
    attention.values = values;
    attention.distances = step.inputSize("x");
    if (turns(step))
        attention.ropeBase = step.real("rope_base");
    if (step.text("positions") == "xpos")
        attention.xposScale = step.real("xpos_scale");
    if (step.text("positions") == "relative") {
        attention.relative = step.weight("relative.weight");
        attention.content = step.weight("content_bias");
        attention.position = step.weight("position_bias");
    }
    const AttentionRead read = attentionStep(step, attention, step.state().front());
    step.out("y", projections ? step.dense("out_proj", read.y) : read.y);
    step.next({read.memory});
    return {};
}

} // namespace unroll::nodes::attention
