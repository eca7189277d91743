// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::embedding {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value table = step.weight("weight");
    step.out("y", gather(table, step.in("tokens")));
    step.out("table", table);
    return {};
}

} // namespace unroll::nodes::embedding
