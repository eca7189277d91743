// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::scale {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), learned = step.weight("weight");
    step.out("y", learned ? x * learned : x * step.real("factor"));
    return {};
}

} // namespace unroll::nodes::scale
