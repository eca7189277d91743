// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_stacked.h"

#include <fmt/format.h>

namespace unroll::nodes {

void stackedSteps(onnx::Step& step, const StackForm& form, const Cell& cell)
{
    const std::int64_t layers = step.integer("num_layers");
    std::vector<std::vector<onnx::Value>> before; // by part of the state, then by layer
    for (const onnx::Value& part : step.state())
        before.push_back(chunk(part, layers));
    std::vector<std::vector<onnx::Value>> after(before.size());
    onnx::Value x = step.in("x");
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const auto named = [&](const char* name) { return step.weight(fmt::format("{}_l{}", name, layer)); };
        const onnx::Value biasIn = named("bias_ih"), biasOn = named("bias_hh");
        const onnx::Value bias = biasIn && form.bothBiases ? biasIn + biasOn : biasIn;
        CellInputs inputs{onnx::linear(x, named("weight_ih"), bias), {}, named("weight_hh"), {}};
        if (!form.bothBiases)
            inputs.bias = biasOn;
        for (const auto& part : before)
            inputs.state.push_back(part[static_cast<std::size_t>(layer)]);
        const std::vector<onnx::Value> state = cell(inputs);
        for (std::size_t part = 0; part < state.size(); ++part)
            after[part].push_back(state[part]);
        x = state.front();
    }
    std::vector<onnx::Value> next;
    for (const auto& part : after)
        next.push_back(onnx::concat(part));
    step.out("y", x);
    step.next(std::move(next));
}

} // namespace unroll::nodes
