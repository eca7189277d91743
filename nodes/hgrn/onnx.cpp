// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_bound.h"

namespace unroll::nodes::hgrn {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x"), h = step.state().front(), a = step.dense("f_proj", x);
    const bool isComplex = step.text("convention") == "hgru";
    const LowerBound bound = lowerBound(step);
    onnx::Value f = bound.raised(sigmoid(a)), enters = bound.left(sigmoid(-a)), i = silu(step.dense("i_proj", x));
    onnx::Value turned = h;
    if (isComplex) { // rows 2 j and 2 j + 1 of i_proj are the parts of unit j
        const onnx::Value pairs = reshape(i, {0, -1, 2}), cosine = cos(step.weight("theta")),
                          sine = sin(step.weight("theta"));
        i = onnx::concat({pick(pairs, 0, 2), pick(pairs, 1, 2)});
        f = onnx::concat({f, f});
        enters = onnx::concat({enters, enters});
        const auto parts = chunk(h, 2);
        turned = onnx::concat({cosine * parts[0] - sine * parts[1], cosine * parts[1] + sine * parts[0]});
    }
    const onnx::Value after = f * turned + enters * i, gain = step.weight("g_norm.weight");
    const onnx::Value normed =
        isComplex ? layerNorm(after, gain, step.weight("g_norm.bias")) : rmsNorm(after, gain, 1e-5);
    step.out("y", step.dense("o_proj", normed * silu(step.dense("g_proj", x))));
    step.next({after});
    return {};
}

} // namespace unroll::nodes::hgrn
