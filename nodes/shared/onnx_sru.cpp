// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_sru.h"

namespace unroll::nodes {
namespace {

onnx::Value sruGate(onnx::Step& step, const onnx::Value& u, const onnx::Value& c, std::size_t which)
{
    const onnx::Value v = chunk(step.weight("weight_c"), 2, 0)[which], b = chunk(step.weight("bias"), 2, 0)[which];
    return sigmoid(u + b + v * c);
}

} // namespace

onnx::Value sruCell(onnx::Step& step, const std::vector<onnx::Value>& u, const onnx::Value& c)
{
    return (c - u[0]) * sruGate(step, u[1], c, 0) + u[0];
}

onnx::Value sruReset(onnx::Step& step, const std::vector<onnx::Value>& u, const onnx::Value& c)
{
    return sruGate(step, u[2], c, 1);
}

} // namespace unroll::nodes
