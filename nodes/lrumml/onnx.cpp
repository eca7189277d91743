// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_complex.h"
#include "nodes/shared/onnx_ternary.h"

namespace unroll::nodes::lrumml {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x");
    const auto layer = [&](const std::string& name, const onnx::Value& read) {
        if (step.hasWeight("gain_" + name))
            return ternaryLayer(step, {.gain = "gain_" + name, .weight = name, .bias = "bias_" + name}, read);
        return onnx::linear(read, step.weight(name), step.weight("bias_" + name));
    };
    const ComplexPair h = lruState(step, {layer("B_re", x), layer("B_im", x)});
    const onnx::Value re = layer("C_re", h.re), im = layer("C_im", h.im); // in this order, by whichever compiler
    onnx::Value y = re - im;
    if (const std::string& skip = step.text("skip"); skip != "none")
        y = y + (skip == "vector" ? x * step.weight("D") : layer("D", x));
    step.out("y", y);
    step.next({h.re, h.im});
    return {};
}

} // namespace unroll::nodes::lrumml
