// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace unroll::nodes {

using ElementFunction = at::Tensor (*)(const at::Tensor&);

/// By a name of elementFunctions() (nodes/shared/activation_parts.h); throws at any other.
ElementFunction elementFunction(const std::string& name);

/// Also by a name whose function is over features, which are the last dimension.
ElementFunction activationFunction(const std::string& name);

} // namespace unroll::nodes
