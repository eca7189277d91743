// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_activations.h"
#include "nodes/shared/onnx_stacked.h"

namespace unroll::nodes::gru {

Result<void> writeStep(onnx::Step& step)
{
    const std::string& convention = step.text("convention");
    const auto tau = [&](const onnx::Value& a) { return elementOperators(step.text("activation"), a); };
    const auto sigma = [&](const onnx::Value& a) { return elementOperators(step.text("gate_activation"), a); };
    stackedSteps(step, {.bothBiases = false}, [&](const CellInputs& cell) -> std::vector<onnx::Value> {
        const onnx::Value& h = cell.state[0];
        const auto a = chunk(cell.a, 3); // r z n
        if (convention == "reset_after") {
            const auto q = chunk(onnx::linear(h, cell.weight, cell.bias), 3);
            const onnx::Value r = sigma(a[0] + q[0]), z = sigma(a[1] + q[1]), n = tau(a[2] + r * q[2]);
            return {(1 - z) * n + z * h};
        }
        const auto w = chunk(cell.weight, 3, 0);
        const auto b = cell.bias ? chunk(cell.bias, 3, 0) : std::vector<onnx::Value>(3);
        const onnx::Value r = sigma(a[0] + onnx::linear(h, w[0], b[0])), z = sigma(a[1] + onnx::linear(h, w[1], b[1]));
        const onnx::Value n = tau(a[2] + onnx::linear(r * h, w[2], b[2]));
        return {convention == "reset_before" ? (1 - z) * n + z * h : (1 - z) * h + z * n};
    });
    return {};
}

} // namespace unroll::nodes::gru
