// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"
#include "core/graph/graph.h"

#include <string>

namespace unroll::contract {

/// The node that graphAround puts the block into.
inline constexpr NodeId kMiddle = 10;

/// A graph that trains a block of any kind: copy task, embedding, the block, a head (a series, a linear layer and the
/// MSE head around what is of numbers), as far as the block is not one of
/// these itself. The block's node is called "middle". With `mask` its mask is wired where it has one.
Graph graphAround(const std::string& block, const Params& params, bool mask = false);

/// Check with the data examined.
CheckedGraph checkAround(const Graph& graph);

} // namespace unroll::contract
