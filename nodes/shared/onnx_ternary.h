// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

#include <string>

namespace unroll::nodes {

/// Names of a ternary dense layer's weights, and how they are read (ternary.py).
struct TernaryNames {
    std::string gain, weight, bias;
    std::int64_t scales = 1; ///< equal parts of the rows, each with a scale of its own
    double epsilon = 1e-8;   ///< of the norm
};

/// The layer with its weights rounded already: a q as float32, q in -1, 0, 1. What it reads is rounded in the graph.
onnx::Value ternaryLayer(onnx::Step& step, const TernaryNames& names, const onnx::Value& x);

} // namespace unroll::nodes
