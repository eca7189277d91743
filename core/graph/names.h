// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <functional>
#include <string>
#include <vector>

namespace unroll {

/// `wish`, or `wish`_2, `wish`_3, ... : the first that `taken` does not have. A number that `wish` ends with (lstm_2)
/// is counted on from.
std::string freeNameAmong(const std::string& wish, const std::function<bool(const std::string&)>& taken);

/// What stands in for a name that cannot be one: "my block" gives my_block; nothing usable gives `otherwise`.
std::string validNameFrom(const std::string& text, const std::string& otherwise);

/// The promoted port of this name; nullptr when there is none.
const PromotedPort* findPort(const std::vector<PromotedPort>& ports, const std::string& name);

/// How deep groups are nested in the graph: 0 without groups.
std::size_t groupDepth(const Graph& graph);

} // namespace unroll
