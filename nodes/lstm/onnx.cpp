// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_activations.h"
#include "nodes/shared/onnx_stacked.h"

#include <fmt/format.h>

namespace unroll::nodes::lstm {

Result<void> writeStep(onnx::Step& step)
{
    const auto activation = [&](const onnx::Value& x) { return elementOperators(step.text("activation"), x); };
    const auto sigma = [&](const onnx::Value& x) { return elementOperators(step.text("gate_activation"), x); };
    stackedSteps(step, {.bothBiases = true}, [&](const CellInputs& cell) -> std::vector<onnx::Value> {
        const onnx::Value& before = cell.state[1];
        auto gates = chunk(cell.a + onnx::linear(cell.state[0], cell.weight), 4); // i f g o
        const onnx::Value peephole = step.weight(fmt::format("peephole_l{}", cell.layer));
        const auto seen = peephole ? chunk(peephole, 3, 0) : std::vector<onnx::Value>(); // of i f o
        if (peephole) {
            gates[0] = gates[0] + seen[0] * before;
            gates[1] = gates[1] + seen[1] * before;
        }
        const onnx::Value c = sigma(gates[1]) * before + sigma(gates[0]) * activation(gates[2]);
        const onnx::Value open = peephole ? gates[3] + seen[2] * c : gates[3];
        return {sigma(open) * activation(c), c};
    });
    return {};
}

} // namespace unroll::nodes::lstm
