// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

#include <functional>
#include <vector>

namespace unroll::nodes {

/// What one layer of a stack computes a step from.
struct CellInputs {
    onnx::Value a;                  ///< weight_ih x + bias_ih, [B, gates units]
    std::vector<onnx::Value> state; ///< of this layer, each [B, units]
    onnx::Value weight;             ///< weight_hh
    onnx::Value bias;               ///< bias_hh; empty where it is among `a` already, or there is none
};

struct StackForm {
    bool bothBiases = true; ///< bias_hh is added to bias_ih
};

/// The new state of a layer, its output first.
using Cell = std::function<std::vector<onnx::Value>(const CellInputs& inputs)>;

/// A step of layers one above the other, weights by torch.nn's names (stacked_recurrence.py).
void stackedSteps(onnx::Step& step, const StackForm& form, const Cell& cell);

} // namespace unroll::nodes
