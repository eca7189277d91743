// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace unroll::nodes {

using ElementFunction = at::Tensor (*)(const at::Tensor&);

/// By a name of elementFunctions() (nodes/shared/activation_parts.h).
ElementFunction elementFunction(const std::string& name);

} // namespace unroll::nodes
