// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

namespace unroll {

/// Whether two graphs of one document are the same to who trains them: blocks, names (weights are called by them),
/// parameters, wires, and what is in groups. Where things stand and the comment boxes do not matter.
bool trainsAlike(const Graph& a, const Graph& b);
bool trainsAlike(const Node& a, const Node& b);

} // namespace unroll
