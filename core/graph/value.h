// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace unroll {

/// What a parameter holds. A choice is its word; a path is its text.
using ParamValue = std::variant<bool, std::int64_t, double, std::string>;

/// Parameters by name. A name that is absent stands for the default of the block's spec.
using Params = std::map<std::string, ParamValue>;

} // namespace unroll
