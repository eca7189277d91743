// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_stacked.h"

namespace unroll::nodes::lstm {

Result<void> writeStep(onnx::Step& step)
{
    const auto activation = [&](const onnx::Value& x) {
        const std::string& name = step.text("activation");
        return name == "tanh" ? tanh(x) : name == "softsign" ? softsign(x) : name == "relu" ? relu(x) : x;
    };
    stackedSteps(step, {.bothBiases = true}, [&](const CellInputs& cell) -> std::vector<onnx::Value> {
        const auto gates = chunk(cell.a + onnx::linear(cell.state[0], cell.weight), 4); // i f g o
        const onnx::Value c = sigmoid(gates[1]) * cell.state[1] + sigmoid(gates[0]) * activation(gates[2]);
        return {sigmoid(gates[3]) * activation(c), c};
    });
    return {};
}

} // namespace unroll::nodes::lstm
