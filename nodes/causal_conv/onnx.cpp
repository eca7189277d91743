// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::causal_conv {

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t width = step.inputSize("x"), taps = step.integer("kernel_size"),
                       apart = step.integer("dilation");
    const std::int64_t reach = (taps - 1) * apart;
    const onnx::Value x = unsqueeze(step.in("x"), 1);
    const onnx::Value seen = onnx::concat({reshape(step.state().front(), {0, reach, width}), x}, 1);
    std::vector<std::int64_t> places;
    for (std::int64_t tap = 0; tap < taps; ++tap)
        places.push_back(reach - tap * apart);
    const onnx::Value read = gather(seen, step.graph().whole(places), 1); // [B, taps, in]
    const onnx::Value weight = step.weight("weight"), bias = step.weight("bias");
    if (step.boolean("depthwise")) {
        const onnx::Value y = sum(read * transpose(weight, {1, 0}), 1);
        step.out("y", bias ? y + bias : y);
    } else
        step.out("y", onnx::linear(flatten(read), weight, bias));
    step.next({flatten(onnx::slice(seen, 1, reach + 1, 1))});
    return {};
}

} // namespace unroll::nodes::causal_conv
