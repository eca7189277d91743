// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

#include <vector>

namespace unroll::nodes {

// The recurrence of SRU and SRU++ (sru_recurrence.py): u is u0, u1, u2 and perhaps a skip term, c the state before,
// [B, units]; weights weight_c and bias, the forget gate's entries first.

/// c after the step.
onnx::Value sruCell(onnx::Step& step, const std::vector<onnx::Value>& u, const onnx::Value& c);
/// The reset gate r.
onnx::Value sruReset(onnx::Step& step, const std::vector<onnx::Value>& u, const onnx::Value& c);

} // namespace unroll::nodes
