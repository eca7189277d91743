// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_sru.h"
#include "nodes/sru/form.h"

#include <cmath>

namespace unroll::nodes::sru {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), gain = step.weight("layer_norm.weight"), shift = step.weight("layer_norm.bias");
    const bool normsAfter = step.boolean("normalize_after"), skips = step.boolean("has_skip_term");
    onnx::Value z = gain && !normsAfter ? layerNorm(x, gain, shift) : x;
    if (step.hasWeight("weight_proj"))
        z = onnx::linear(z, step.weight("weight_proj"));
    const std::int64_t parts = partsOf(step, step.inputSize("x"), step.integer("units"));
    const auto u = chunk(step.boolean("projections") ? onnx::linear(z, step.weight("weight")) : x, parts);
    const double bias = step.real("highway_bias");
    const double scale = step.boolean("rescale") && skips ? std::sqrt(1 + 2 * std::exp(bias)) : 1;
    const onnx::Value skip = !skips ? onnx::Value{} : parts == 4 ? u[3] : x * scale;
    const onnx::Value c = sruCell(step, u, step.state().front());
    const onnx::Value r = sruReset(step, u, step.state().front());
    const onnx::Value active = step.text("activation") == "tanh" ? tanh(c) : c;
    onnx::Value y = skip ? (active - skip) * r + skip : active * r;
    step.out("y", gain && normsAfter ? layerNorm(y, gain, shift) : y);
    step.next({c});
    return {};
}

} // namespace unroll::nodes::sru
