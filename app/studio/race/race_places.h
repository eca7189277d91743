// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/graph/edit.h"

#include <string>
#include <vector>

namespace unroll {

/// What can stand in a node's place, as a lane of a race.
struct RaceChoice {
    const BlockSpec* spec = nullptr; ///< whose icon it has
    std::string word;                ///< its wish without settings: "gru"; "group:cell=gru", "@encoder" of a group
    std::string title;               ///< "GRU", "body with GRU"
    std::string help;                ///< one sentence
};

/// A node, or a whole group, with which others can be compared.
struct RacePlace {
    std::string path; ///< dots in groups: "body.lstm"
    const BlockSpec* spec = nullptr;
    bool isGroup = false;
    /// It itself first. Of a node then the blocks that have its ports, those of its category before the others. Of a
    /// group the group with each other cell, other groups that have its ports, and blocks that have them.
    std::vector<RaceChoice> choices;
    std::vector<std::string> inside = {}; ///< of a group: names of the nodes in it that can be set
};

/// The node `id` of the graph at `path` within `top`; of a group that and the nodes inside, recurrent ones first. Data,
/// losses and nodes whose ports no other block has are none.
std::vector<RacePlace> racePlaces(const Graph& top, const BlockRegistry& registry, const GroupPath& path, NodeId id);

} // namespace unroll
