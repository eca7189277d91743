// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

#include <string>
#include <vector>

namespace unroll::nodes {

// The recurrence of SRU and SRU++ (sru_recurrence.py): u is u0, u1, u2 and perhaps a skip term, c the state before,
// [B, units]; weights weight_c and bias, the forget gate's entries first, `prefix` before their names.

/// c after the step.
onnx::Value sruCell(onnx::Step& step, const std::vector<onnx::Value>& u, const onnx::Value& c,
                    const std::string& prefix = {});
/// The reset gate r.
onnx::Value sruReset(onnx::Step& step, const std::vector<onnx::Value>& u, const onnx::Value& c,
                     const std::string& prefix = {});

} // namespace unroll::nodes
