// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_conv.h"

namespace unroll::nodes {

StepConv stepConv(onnx::Step& step, const onnx::Value& u, const onnx::Value& past, std::int64_t taps,
                  std::int64_t width)
{
    const onnx::Value seen = onnx::concat({past, u}), bias = step.weight("conv1d.bias");
    const onnx::Value weight = transpose(squeeze(step.weight("conv1d.weight"), 1), {1, 0}); // [taps, width]
    const onnx::Value y = sum(reshape(seen, {0, taps, width}) * weight, 1);
    return {silu(bias ? y + bias : y), onnx::slice(seen, width, taps * width)};
}

} // namespace unroll::nodes
