// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_sru.h"

namespace unroll::nodes {
namespace {

onnx::Value sruGate(onnx::Step& step, const onnx::Value& u, const onnx::Value& c, const std::string& prefix,
                    std::size_t which)
{
    const onnx::Value v = chunk(step.weight(prefix + "weight_c"), 2, 0)[which];
    const onnx::Value b = chunk(step.weight(prefix + "bias"), 2, 0)[which];
    return sigmoid(u + b + v * c);
}

} // namespace

onnx::Value sruCell(onnx::Step& step, const std::vector<onnx::Value>& u, const onnx::Value& c,
                    const std::string& prefix)
{
    return (c - u[0]) * sruGate(step, u[1], c, prefix, 0) + u[0];
}

onnx::Value sruReset(onnx::Step& step, const std::vector<onnx::Value>& u, const onnx::Value& c,
                     const std::string& prefix)
{
    return sruGate(step, u[2], c, prefix, 1);
}

} // namespace unroll::nodes
