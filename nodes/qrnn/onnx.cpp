// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::qrnn {

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t units = step.integer("units"), window = step.integer("window"), width = step.inputSize("x");
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(window), width);
    sizes.front() = units;
    std::vector<onnx::Value> kept = split(step.state().front(), sizes); // c, then inputs, oldest first
    const onnx::Value c = kept.front();
    kept.erase(kept.begin());
    kept.push_back(step.in("x"));
    const std::vector<onnx::Value> newestFirst(kept.rbegin(), kept.rend());
    const auto gates = chunk(step.dense("linear", onnx::concat(newestFirst)), step.text("pooling") == "fo" ? 3 : 2);
    const onnx::Value z = tanh(gates[0]), open = sigmoid(gates[1]);
    const onnx::Value write = (step.text("convention") == "paper" ? 1 - open : open) * (1 - step.real("zoneout"));
    const onnx::Value after = (1 - write) * c + write * z;
    step.out("y", gates.size() == 3 ? sigmoid(gates[2]) * after : after);
    kept.front() = after; // the oldest input goes
    step.next({onnx::concat(kept)});
    return {};
}

} // namespace unroll::nodes::qrnn
