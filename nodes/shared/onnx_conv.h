// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

namespace unroll::nodes {

/// One step of the depthwise causal convolution of Mamba and Mamba-2.
struct StepConv {
    onnx::Value y;    ///< after silu, [B, width]
    onnx::Value past; ///< what the next step reads, [B, (taps - 1) width]
};

/// By the weights conv1d.weight [width, 1, taps] and conv1d.bias; u [B, width], past [B, (taps - 1) width], oldest
/// first.
StepConv stepConv(onnx::Step& step, const onnx::Value& u, const onnx::Value& past, std::int64_t taps,
                  std::int64_t width);

} // namespace unroll::nodes
