// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"

namespace unroll {

/// Numbers that a node keeps from step to step, a sequence: its state, or those of the nodes in it, as often as the
/// group is repeated.
std::int64_t stateNumbers(const CheckedNode& checked, const Node& placed);
/// The same of all nodes of a graph.
std::int64_t stateNumbers(const CheckedGraph& checked, const Graph& graph);

} // namespace unroll
