// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <algorithm>

namespace unroll::nodes::window_mlp {

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t width = step.inputSize("x"), window = step.integer("window");
    const std::string& activation = step.text("activation");
    const onnx::Value seen = window > 1 ? onnx::concat({step.state().front(), step.in("x")}) : step.in("x");
    std::vector<onnx::Value> newestFirst =
        split(seen, std::vector<std::int64_t>(static_cast<std::size_t>(window), width));
    std::reverse(newestFirst.begin(), newestFirst.end());
    const onnx::Value read = onnx::concat(newestFirst), a = step.dense("hidden", read);
    onnx::Value y = step.dense("output", activation == "tanh" ? tanh(a) : activation == "relu" ? relu(a) : gelu(a));
    if (step.hasWeight("direct.weight"))
        y = y + step.dense("direct", read);
    step.out("y", y);
    step.next({window > 1 ? onnx::slice(seen, width, window * width) : step.state().front()});
    return {};
}

} // namespace unroll::nodes::window_mlp
