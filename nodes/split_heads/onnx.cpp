// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::split_heads {

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t width = step.outputSize("y"), head = step.integer("head");
    step.out("y", onnx::slice(step.in("x"), (head - 1) * width, head * width));
    return {};
}

} // namespace unroll::nodes::split_heads
