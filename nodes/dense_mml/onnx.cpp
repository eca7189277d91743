// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_ternary.h"

namespace unroll::nodes::dense_mml {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", ternaryLayer(step, {.gain = "gain", .weight = "weight", .bias = "bias"}, step.in("x")));
    return {};
}

} // namespace unroll::nodes::dense_mml
