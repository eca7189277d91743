// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The small notations inside a graph's JSON, shared by its reader and its writer.

#include "core/base/json.h"
#include "core/graph/graph.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace unroll {

inline constexpr std::string_view kArrow = " -> ";

/// "left -> right" in its two halves; nothing when there is not exactly one arrow or a half is empty.
std::optional<std::pair<std::string, std::string>> splitArrow(std::string_view text);

/// "node.port" in its two halves; the node's name has no dot.
std::optional<std::pair<std::string, std::string>> splitDot(std::string_view text);

/// A parameter as JSON. Values by copy: a list is an array, a rule {"every": 4, "value": "causal", "else": "none"},
/// likewise with "first" and "last".
Json paramToJson(const ParamValue& value);
/// A parameter from JSON; nothing for null and for arrays and objects of other forms. Whole numbers beyond 64 bits
/// become reals.
std::optional<ParamValue> paramFromJson(const Json& json);

} // namespace unroll
