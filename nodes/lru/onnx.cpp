// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_complex.h"

namespace unroll::nodes::lru {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x");
    const ComplexPair drive{onnx::linear(x, step.weight("B_re")), onnx::linear(x, step.weight("B_im"))};
    const ComplexPair h = lruState(step, drive);
    onnx::Value y = onnx::linear(h.re, step.weight("C_re")) - onnx::linear(h.im, step.weight("C_im"));
    if (const std::string& skip = step.text("skip"); skip != "none")
        y = y + (skip == "vector" ? x * step.weight("D") : onnx::linear(x, step.weight("D")));
    step.out("y", y);
    step.next({h.re, h.im});
    return {};
}

} // namespace unroll::nodes::lru
