// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::learned_vector {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", onnx::rowsLike(step.weight("weight"), step.in("x")));
    return {};
}

} // namespace unroll::nodes::learned_vector
