// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

#include <fmt/format.h>

namespace unroll::nodes::dilated_conv {

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t layers = step.integer("num_layers"), taps = step.integer("kernel_size"),
                       width = step.integer("width");
    const std::string& activation = step.text("activation");
    onnx::Value h = step.in("x");
    std::int64_t read = step.inputSize("x"), apart = 1, from = 0;
    std::vector<onnx::Value> kept;
    for (std::int64_t layer = 0; layer < layers; ++layer, apart *= step.integer("growth")) {
        const std::int64_t reach = (taps - 1) * apart, held = reach * read;
        const onnx::Value seen =
            onnx::concat({onnx::slice(step.state().front(), from, from + held), h}); // oldest first
        from += held;
        std::vector<onnx::Value> given;
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const std::int64_t place = (reach - tap * apart) * read;
            given.push_back(onnx::slice(seen, place, place + read));
        }
        const onnx::Value a = step.dense(fmt::format("layers.{}", layer), onnx::concat(given));
        onnx::Value z = activation == "relu" ? relu(a) : tanh(a);
        if (activation == "gated") {
            const auto halves = chunk(a, 2);
            z = tanh(halves[0]) * sigmoid(halves[1]);
        }
        h = step.boolean("residual") && read == width ? z + h : z;
        kept.push_back(onnx::slice(seen, read, read + held));
        read = width;
    }
    step.out("y", h);
    step.next({onnx::concat(kept)});
    return {};
}

} // namespace unroll::nodes::dilated_conv
