// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_stacked.h"

namespace unroll::nodes::janet {

Result<void> writeStep(onnx::Step& step)
{
    const double beta = step.real("beta");
    stackedSteps(step, {.bothBiases = true}, [&](const CellInputs& cell) -> std::vector<onnx::Value> {
        const auto parts = chunk(cell.a + onnx::linear(cell.state[0], cell.weight), 2); // f g
        return {sigmoid(parts[0]) * cell.state[0] + sigmoid(beta - parts[0]) * tanh(parts[1])};
    });
    return {};
}

} // namespace unroll::nodes::janet
