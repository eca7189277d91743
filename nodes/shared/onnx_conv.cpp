// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_conv.h"

namespace unroll::nodes {

StepConv stepConv(const ConvKernel& kernel, const onnx::Value& u, const onnx::Value& past)
{
    const onnx::Value seen = onnx::concat({past, u});
    const onnx::Value weight = transpose(squeeze(kernel.weight, 1), {1, 0}); // [taps, width]
    const onnx::Value y = sum(reshape(seen, {0, kernel.taps, kernel.width}) * weight, 1);
    return {silu(kernel.bias ? y + kernel.bias : y), onnx::slice(seen, kernel.width, kernel.taps * kernel.width)};
}

} // namespace unroll::nodes
