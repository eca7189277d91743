// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <map>
#include <set>

namespace unroll {

/// The nodes that steps between nodes lead to from `start`; with itself.
std::set<NodeId> reachedFrom(NodeId start, const std::multimap<NodeId, NodeId>& steps);

} // namespace unroll
