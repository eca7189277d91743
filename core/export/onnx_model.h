// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"
#include "core/format/tensor_view.h"
#include "core/onnx/step.h"

#include <vector>

namespace unroll {

/// Lays one step of a checked graph out as operators, groups copied in. Inputs are named tokens or features, mask
/// (where a node reads it) and state.<node>.<part>; outputs as the loss names its prediction, and next.<node>.<part>.
/// Weights are float32. Errors name the node that cannot be written, and why: it reads later steps, or has no step.
Result<void> layOutOnnxStep(const Graph& graph, const CheckedGraph& checked,
                            const std::vector<format::OwnedTensor>& weights, const onnx::StepWriters& writers,
                            onnx::Graph& into);

} // namespace unroll
