// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/ops.h"

#include <string>

namespace unroll::nodes {

/// elementFunction() as operators.
onnx::Value elementOperators(const std::string& name, const onnx::Value& a);

} // namespace unroll::nodes
