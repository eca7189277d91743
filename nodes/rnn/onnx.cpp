// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_stacked.h"

namespace unroll::nodes::rnn {

Result<void> writeStep(onnx::Step& step)
{
    const bool tanhs = step.text("nonlinearity") == "tanh";
    stackedSteps(step, {.bothBiases = true}, [&](const CellInputs& cell) -> std::vector<onnx::Value> {
        const onnx::Value a = cell.a + onnx::linear(cell.state[0], cell.weight);
        return {tanhs ? tanh(a) : relu(a)};
    });
    return {};
}

} // namespace unroll::nodes::rnn
