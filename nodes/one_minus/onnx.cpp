// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::one_minus {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", 1 - step.in("x"));
    return {};
}

} // namespace unroll::nodes::one_minus
