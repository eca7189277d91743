// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/graph/graph.h"

#include <string>
#include <vector>

namespace unroll {

/// A node that has something to watch.
struct WatchableNode {
    std::string path;  ///< names from the top, dots between; copies of a repeated group are numbered from 1
    std::string place; ///< the node in the document, where all copies are one: without the numbers
    const BlockSpec* spec;
    std::vector<NodeId> ids{}; ///< of the groups around it from the top, and its own: they stay when it is renamed
    std::vector<SignalKind> looks{}; ///< of the spec's signals, in their order; of a parameter by copy the first's
    bool operator==(const WatchableNode&) const = default;
};
struct WatchableNodes {
    std::vector<WatchableNode> nodes;
    bool allCopies = true; ///< false: there are more copies than are named
};
/// Recurrent nodes first, then others with signals; within each in the order of ids, the copies of a node together.
/// Names at most `most`, shared evenly, but one copy of each node in any case: its time goes with that, whatever number
/// of copies the document asks for.
WatchableNodes watchableNodes(const Graph& graph, const BlockRegistry& registry, std::size_t most);

/// The block at a path or a place in a graph, where there is one with something to watch; nullptr: there is none.
const BlockSpec* watchableAt(const Graph& graph, const BlockRegistry& registry, const std::string& path);

} // namespace unroll
