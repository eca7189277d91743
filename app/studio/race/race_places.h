// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/graph/edit.h"

#include <string>
#include <vector>

namespace unroll {

/// A node whose block others can be compared with.
struct RacePlace {
    std::string path; ///< dots in groups: "body.lstm"
    const BlockSpec* spec = nullptr;
    std::vector<const BlockSpec*> blocks; ///< that have its ports: its own first, then those of its category
};

/// The node `id` of the graph at `path` within `top`, or of a group the nodes inside: recurrent ones first. Data,
/// losses and nodes whose ports no other block has are none.
std::vector<RacePlace> racePlaces(const Graph& top, const BlockRegistry& registry, const GroupPath& path, NodeId id);

} // namespace unroll
