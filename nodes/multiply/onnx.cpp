// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::multiply {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", step.in("a") * step.in("b"));
    return {};
}

} // namespace unroll::nodes::multiply
