// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_sru.h"

#include <cmath>
#include <vector>

namespace unroll::nodes::sru {

namespace {

/// The parts of U, and V of both gates where it comes by wire.
struct GivenU {
    std::vector<onnx::Value> u, v;
};

GivenU madeOrGiven(onnx::Step& step, onnx::Value z, std::int64_t parts)
{
    if (step.text("custom_m") == "none") {
        if (step.hasWeight("weight_proj"))
            z = onnx::linear(z, step.weight("weight_proj"));
        return {chunk(onnx::linear(z, step.weight("weight")), parts), {}};
    }
    auto all = chunk(step.in("u"), step.text("custom_m") == "u" ? parts : parts + 2);
    const auto behind = all.begin() + parts;
    return {{all.begin(), behind}, {behind, all.end()}};
}

/// The gates' parts with V c added, as the recurrence adds weight_c times c.
std::vector<onnx::Value> shiftedBy(const GivenU& made, const onnx::Value& c)
{
    std::vector<onnx::Value> u = made.u;
    for (std::size_t gate = 0; gate < made.v.size(); ++gate)
        u[gate + 1] = u[gate + 1] + made.v[gate] * c;
    return u;
}

} // namespace

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), gain = step.weight("layer_norm.weight"), shift = step.weight("layer_norm.bias");
    const bool normsAfter = step.boolean("normalize_after"), skips = step.boolean("has_skip_term");
    const std::int64_t units = step.integer("units"), parts = skips && step.inputSize("x") != units ? 4 : 3;
    const GivenU made = madeOrGiven(step, gain && !normsAfter ? layerNorm(x, gain, shift) : x, parts);
    const auto& u = made.u;
    const double bias = step.real("highway_bias");
    const double scale = step.boolean("rescale") && skips ? std::sqrt(1 + 2 * std::exp(bias)) : 1;
    const onnx::Value skip = !skips ? onnx::Value{} : parts == 4 ? u[3] : x * scale;
    const onnx::Value before = step.state().front();
    const onnx::Value c = sruCell(step, shiftedBy(made, before), before);
    const onnx::Value r = sruReset(step, shiftedBy(made, before), before);
    const onnx::Value active = step.text("activation") == "tanh" ? tanh(c) : c;
    onnx::Value y = skip ? (active - skip) * r + skip : active * r;
    step.out("y", gain && normsAfter ? layerNorm(y, gain, shift) : y);
    step.next({c});
    return {};
}

} // namespace unroll::nodes::sru
