// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_attention.h"
#include "nodes/shared/onnx_sru.h"

#include <cmath>

namespace unroll::nodes::srupp {

/// z, and the KV cache for the next steps; empty without attention.
static AttentionRead transformed(onnx::Step& step, const onnx::Value& x)
{
    const auto norm = [&](const onnx::Value& z) {
        const onnx::Value gain = step.weight("attn_layer_norm.weight");
        return gain ? layerNorm(z, gain, step.weight("attn_layer_norm.bias")) : z;
    };
    const onnx::Value read = step.dense("linear1", x);
    if (step.text("attention") == "none")
        return {norm(read), {}};
    const std::int64_t width = step.integer("projection_size"), window = step.integer("window");
    const std::int64_t units = step.integer("units"), kept = (window - 1) * (2 * width + 1);
    const bool normsLater = step.boolean("attn_normalize_after");
    const onnx::Value q = normsLater ? read : norm(read);
    const auto keys = chunk(step.dense("linear2", q), 2);
    const AttentionRead told = attentionStep(step, {q, keys[0], keys[1], width, step.integer("num_heads"), window},
                                             onnx::slice(step.state().front(), units, units + kept));
    const onnx::Value z = read + step.weight("alpha") * told.y;
    return {normsLater ? norm(z) : z, told.memory};
}

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), gain = step.weight("layer_norm.weight"), shift = step.weight("layer_norm.bias");
    const bool normsAfter = step.boolean("normalize_after");
    const std::int64_t units = step.integer("units"), parts = step.inputSize("x") == units ? 3 : 4;
    const onnx::Value state = step.state().front(), c = onnx::slice(state, 0, units);
    const auto [z, memory] = transformed(step, gain && !normsAfter ? layerNorm(x, gain, shift) : x);
    const auto u = chunk(step.dense("linear3", z), parts);
    const double scale = step.boolean("rescale") ? std::sqrt(1 + 2 * std::exp(step.real("highway_bias"))) : 1;
    const onnx::Value skip = parts == 4 ? u[3] : x * scale, after = sruCell(step, u, c);
    const onnx::Value y = (after - skip) * sruReset(step, u, c) + skip;
    step.out("y", gain && normsAfter ? layerNorm(y, gain, shift) : y);
    step.next({memory ? onnx::concat({after, memory}) : after});
    return {};
}

} // namespace unroll::nodes::srupp
