// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_attention.h"
#include "nodes/shared/onnx_sru.h"
#include "nodes/srupp/layers.h"

#include <cmath>

namespace unroll::nodes::srupp {

namespace {

/// One of the layers: what stands before the names of its weights, what it reads, and its part of the state.
struct LayerStep {
    std::string prefix;
    onnx::Value x, state;
    bool attends = false;
    bool skipsInput = false; ///< as wide as it is
};

struct LayerEnd {
    onnx::Value y, state;
};

} // namespace

/// z, and the KV cache for the next steps; empty without attention.
static AttentionRead transformed(onnx::Step& step, const LayerStep& layer, const onnx::Value& x)
{
    const auto norm = [&](const onnx::Value& z) {
        const onnx::Value gain = step.weight(layer.prefix + "attn_layer_norm.weight");
        return gain ? layerNorm(z, gain, step.weight(layer.prefix + "attn_layer_norm.bias")) : z;
    };
    const onnx::Value read = step.dense(layer.prefix + "linear1", x);
    if (!layer.attends)
        return {norm(read), {}};
    const std::int64_t width = step.integer("projection_size"), window = step.integer("window");
    const std::int64_t units = step.integer("units"), kept = (window - 1) * (2 * width + 1);
    const bool normsLater = step.boolean("attn_normalize_after");
    const onnx::Value q = normsLater ? read : norm(read);
    const auto keys = chunk(step.dense(layer.prefix + "linear2", q), 2);
    const AttentionStep attention{q, keys[0], keys[1], width, step.integer("num_heads"), window};
    const AttentionRead told = attentionStep(step, attention, onnx::slice(layer.state, units, units + kept));
    const onnx::Value z = read + step.weight(layer.prefix + "alpha") * told.y;
    return {normsLater ? norm(z) : z, told.memory};
}

static LayerEnd layerStep(onnx::Step& step, const LayerStep& layer)
{
    const onnx::Value x = layer.x, gain = step.weight(layer.prefix + "layer_norm.weight"),
                      shift = step.weight(layer.prefix + "layer_norm.bias");
    const bool normsAfter = step.boolean("normalize_after");
    const onnx::Value c = onnx::slice(layer.state, 0, step.integer("units"));
    const auto [z, memory] = transformed(step, layer, gain && !normsAfter ? layerNorm(x, gain, shift) : x);
    const auto u = chunk(step.dense(layer.prefix + "linear3", z), layer.skipsInput ? 3 : 4);
    const double scale = step.boolean("rescale") ? std::sqrt(1 + 2 * std::exp(step.real("highway_bias"))) : 1;
    const onnx::Value skip = layer.skipsInput ? x * scale : u[3], after = sruCell(step, u, c, layer.prefix);
    const onnx::Value y = (after - skip) * sruReset(step, u, c, layer.prefix) + skip;
    return {gain && normsAfter ? layerNorm(y, gain, shift) : y, memory ? onnx::concat({after, memory}) : after};
}

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t count = step.integer("num_layers"), units = step.integer("units");
    const std::int64_t memory = (step.integer("window") - 1) * (2 * step.integer("projection_size") + 1);
    const onnx::Value state = step.state().front();
    onnx::Value x = step.in("x");
    std::vector<onnx::Value> ends;
    std::int64_t from = 0;
    for (std::int64_t index = 0; index < count; ++index) {
        LayerStep layer{.prefix = count > 1 ? layerPrefix(index) : "", .x = x, .state = {}};
        layer.attends =
            step.text("attention") == "causal" && isAttending(index, count, step.integer("attention_every_n_layers"),
                                                              step.integer("attention_last_n_layers"));
        layer.skipsInput = index > 0 || step.inputSize("x") == units;
        const std::int64_t width = units + (layer.attends ? memory : 0);
        layer.state = count > 1 ? onnx::slice(state, from, from + width) : state;
        from += width;
        const LayerEnd end = layerStep(step, layer);
        x = end.y;
        ends.push_back(end.state);
    }
    step.out("y", x);
    step.next({ends.size() == 1 ? ends.front() : onnx::concat(ends)});
    return {};
}

} // namespace unroll::nodes::srupp
