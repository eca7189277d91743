// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::delay {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value held = step.state().front(), x = step.in("x");
    const double initial = step.real("initial_value");
    if (initial == 0) {
        step.out("y", held);
        step.next({x});
        return {};
    }
    const std::int64_t width = step.outputSize("y");
    const onnx::Value begun = onnx::slice(held, width, width + 1);
    step.out("y", onnx::slice(held, 0, width) + (1 - begun) * initial);
    step.next({x ? padded(x, 2, 1, 1) : x}); // a 1 behind it: it has started
    return {};
}

} // namespace unroll::nodes::delay
