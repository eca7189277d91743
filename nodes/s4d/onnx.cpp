// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_complex.h"

namespace unroll::nodes::s4d {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x");
    const ComplexFactors factors =
        discretized({-exp(step.weight("kernel.log_A_real")), step.weight("kernel.A_imag")},
                    unsqueeze(exp(step.weight("kernel.log_dt")), -1), step.text("discretization"));
    const std::int64_t features = step.inputSize("x");
    const auto modes = [&](const onnx::Value& part) { return reshape(part, {0, features, -1}); };
    const onnx::Value given = unsqueeze(x, -1);
    const ComplexPair before{modes(step.state()[0]), modes(step.state()[1])};
    const ComplexPair h = factors.lambda * before + ComplexPair{factors.gamma.re * given, factors.gamma.im * given};
    const onnx::Value weights = step.weight("kernel.C") * 2;
    const onnx::Value read = sum(h.re * pick(weights, 0, 2) - h.im * pick(weights, 1, 2), -1);
    step.out("y", read + step.weight("D") * x);
    step.next({flatten(h.re), flatten(h.im)});
    return {};
}

} // namespace unroll::nodes::s4d
