// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::multiplicative_dense {

/// x times D module by module, then by E: the matrix that both make is not in the file.
Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value modules = unsqueeze(step.in("x"), 1) * step.weight("weight_modules"); // [B, num_modules, in]
    const onnx::Value y = flatten(matmul(modules, transpose(step.weight("weight"), {1, 0})));
    step.out("y", step.hasWeight("bias") ? y + step.weight("bias") : y);
    return {};
}

} // namespace unroll::nodes::multiplicative_dense
