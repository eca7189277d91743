// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

namespace unroll::nodes {

/// One step of the depthwise causal convolution of Mamba, Mamba-2 and the delta rules.
struct StepConv {
    onnx::Value y;    ///< after silu, [B, width]
    onnx::Value past; ///< what the next step reads, [B, (taps - 1) width]
};

/// The weight [width, 1, taps], the oldest step first, and the bias, which may be empty.
struct ConvKernel {
    onnx::Value weight, bias;
    std::int64_t taps = 1, width = 0;
};

/// u [B, width], past [B, (taps - 1) width], oldest first.
StepConv stepConv(const ConvKernel& kernel, const onnx::Value& u, const onnx::Value& past);

} // namespace unroll::nodes
