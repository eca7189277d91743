// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_complex.h"

namespace unroll::nodes::s5 {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), re = step.weight("Lambda_re");
    const onnx::Value clipped = step.boolean("clip_eigs") ? minimum(re, -1e-4) : re;
    const ComplexFactors factors =
        discretized({clipped, step.weight("Lambda_im")}, exp(step.weight("log_step")), step.text("discretization"));
    const auto half = [&](const char* name, std::int64_t index) { return pick(step.weight(name), index, 2); };
    const ComplexPair drive = factors.gamma * ComplexPair{onnx::linear(x, half("B", 0)), onnx::linear(x, half("B", 1))};
    const ComplexPair h = factors.lambda * ComplexPair{step.state()[0], step.state()[1]} + drive;
    const onnx::Value read = onnx::linear(h.re, half("C", 0)) - onnx::linear(h.im, half("C", 1));
    step.out("y", (step.boolean("conj_sym") ? read * 2 : read) + step.weight("D") * x);
    step.next({h.re, h.im});
    return {};
}

} // namespace unroll::nodes::s5
