// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"

namespace unroll::nodes::slstm {

Result<void> writeStep(onnx::Step& step)
{
    const auto& state = step.state(); // h c n m
    const std::int64_t heads = step.integer("num_heads"), width = step.integer("units") / heads;
    // [B, heads, 1, n] times [heads, n, 4 n]: the four gates of each head, then gate by gate.
    const onnx::Value kernel = transpose(step.weight("recurrent_kernel"), {0, 2, 1});
    const onnx::Value recurrent =
        reshape(matmul(reshape(state[0], {0, heads, 1, width}), kernel), {0, heads, 4, width});
    const onnx::Value inputs = onnx::linear(step.in("x"), step.weight("weight"), step.weight("bias"));
    const auto gates = chunk(inputs + flatten(transpose(recurrent, {0, 2, 1, 3})), 4); // i f z o
    const onnx::Value given = abs(state[2]);
    const onnx::Value kept = (step.text("forget_gate") == "sigmoid" ? logSigmoid(gates[1]) : gates[1]) + state[3];
    const onnx::Value m = where(equal(given, 0.0), gates[0], maximum(kept, gates[0]));
    const onnx::Value i = exp(gates[0] - m), f = exp(minimum(kept - m, 0.0));
    const onnx::Value c = f * state[1] + i * tanh(gates[2]), n = f * given + i;
    const onnx::Value h = sigmoid(gates[3]) * (c / n);
    step.out("y", h);
    step.next({h, c, n, m});
    return {};
}

} // namespace unroll::nodes::slstm
