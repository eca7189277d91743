// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/ops.h"

#include <string>

namespace unroll::nodes {

/// elementFunction() as operators.
onnx::Value elementOperators(const std::string& name, const onnx::Value& a);

/// activationFunction() as operators; `features`: how many a [B, features] has.
onnx::Value activationOperators(const std::string& name, const onnx::Value& a, std::int64_t features);

} // namespace unroll::nodes
