// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::ind_rnn {

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value read = onnx::linear(step.in("x"), step.weight("weight_ih"), step.weight("bias"));
    const onnx::Value a = read + squeeze(step.weight("weight_hh"), 1) * step.state().front();
    const onnx::Value h = step.text("nonlinearity") == "relu" ? relu(a) : tanh(a);
    step.out("y", h);
    step.next({h});
    return {};
}

} // namespace unroll::nodes::ind_rnn
