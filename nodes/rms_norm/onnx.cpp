// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::rms_norm {

Result<void> writeStep(onnx::Step& step)
{
    step.out("y", rmsNorm(step.in("x"), step.weight("weight"), step.real("epsilon")));
    return {};
}

} // namespace unroll::nodes::rms_norm
