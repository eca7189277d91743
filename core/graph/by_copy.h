// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Parameters that differ from copy to copy of a repeated group. What a group sets counts for the blocks inside as if
// they had it themselves, so it is always the innermost repeated group around a block whose copies are counted.

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

ParamValue asParam(const PlainValue& value);
/// Nothing where it differs by copy.
std::optional<PlainValue> asPlain(const ParamValue& value);

/// The value in one copy of so many. A list that is too short goes on with its last value; one without values gives
/// false.
PlainValue valueIn(const ByCopy& values, std::int64_t copy, std::int64_t copies);

/// What the first of many copies has; a plain value is that of every copy.
ParamValue inFirstCopy(const ParamValue& value);

/// A list of one value a copy.
ByCopy listOf(const ByCopy& values, std::int64_t copies);

/// What is wrong with the rule for so many copies, after the parameter's name: "has 3 values for the 4 copies". Empty:
/// nothing. Whether the values suit the parameter is not asked.
std::string copiesFault(const ByCopy& values, std::int64_t copies);

/// Whether a value by copy that the node has for this parameter counts the copies of the group around it: not so where
/// the node is a group that hands it to repeated groups alone, or is repeated itself.
bool countsAround(const Node& node, const std::string& param);

/// Adds all values by copy in the graph that count the copies of the group whose inside it is.
void collectByCopy(const Graph& graph, std::vector<const ByCopy*>& found);

/// A node as it is in one copy of the repeated group around it, with the values of that copy; of a group the contents
/// too, as far as no repeated group inside counts copies of its own. An Error where a parameter of a group sets nodes
/// of both kinds.
Result<Node> nodeIn(const Node& node, std::int64_t copy, std::int64_t copies);

} // namespace unroll
