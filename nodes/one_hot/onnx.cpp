// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::one_hot {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", oneHot(step.in("tokens"), step.inputSize("tokens")));
    return {};
}

} // namespace unroll::nodes::one_hot
