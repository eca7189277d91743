// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::dropout {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", step.in("x")); // drops nothing outside training
    return {};
}

} // namespace unroll::nodes::dropout
