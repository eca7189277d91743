// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::slice {

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t start = step.integer("start");
    step.out("y", onnx::slice(step.in("x"), start, start + step.integer("width")));
    return {};
}

} // namespace unroll::nodes::slice
