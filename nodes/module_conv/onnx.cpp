// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::module_conv {

/// Rows of [steps * modules, features], zeros beyond the first and the last module of a step, in the order in which the
/// filters of each module read them.
static std::vector<std::int64_t> rowsRead(std::int64_t steps, std::int64_t modules, std::int64_t kernel)
{
    std::vector<std::int64_t> rows;
    for (std::int64_t module = 0; module < modules; ++module)
        for (std::int64_t step = steps - 1; step >= 0; --step)
            for (std::int64_t near = 0; near < kernel; ++near)
                rows.push_back(step * (modules + kernel - 1) + module + near);
    return rows;
}

Result<void> writeStep(onnx::Step& step)
{
    const std::int64_t width = step.inputSize("x"), modules = step.integer("num_modules"), features = width / modules;
    const std::int64_t steps = step.integer("kernel_size"), kernel = step.integer("module_kernel"), half = kernel / 2;
    const onnx::Value x = unsqueeze(step.in("x"), 1);
    const onnx::Value seen = onnx::concat({reshape(step.state().front(), {0, steps - 1, width}), x}, 1);
    const onnx::Value cut = padded(reshape(seen, {0, steps, modules, features}), {0, 0, half, 0}, {0, 0, half, 0}, 0);
    const onnx::Value rows = reshape(cut, {0, steps * (modules + kernel - 1), features});
    const onnx::Value read = gather(rows, step.graph().whole(rowsRead(steps, modules, kernel)), 1);
    const onnx::Value y = onnx::linear(reshape(read, {-1, steps * kernel * features}), step.weight("weight"),
                                       step.weight("bias")); // [B modules, num_convs width / modules]
    const std::int64_t given = step.integer("width") / modules;
    step.out("y", flatten(transpose(reshape(y, {-1, modules, step.integer("num_convs"), given}), {0, 2, 1, 3})));
    step.next({flatten(onnx::slice(seen, 1, steps, 1))});
    return {};
}

} // namespace unroll::nodes::module_conv
