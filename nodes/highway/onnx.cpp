// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::highway {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value g = step.in("g");
    step.out("y", g * step.in("a") + (1 - g) * step.in("b"));
    return {};
}

} // namespace unroll::nodes::highway
