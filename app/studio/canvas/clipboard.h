// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <set>
#include <string_view>

namespace unroll {

/// Nodes that were copied: with the wires among them, and those that came in from nodes left behind.
struct Clipping {
    /// A wire that came in. Its source goes by its name, which holds for another window and for a graph edited since.
    struct Input {
        std::string node;
        std::string output;
        PortRef to;
    };
    Graph nodes;
    std::vector<Input> inputs;

    bool isEmpty() const { return nodes.nodes.empty() && nodes.frames.empty(); }
};

Clipping clip(const Graph& graph, const std::set<NodeId>& ids);

/// {"unroll_nodes": 1, "graph": {...}, "inputs": [{"from": "embedding", "output": "y", "to": 3, "input": "x"}]}
std::string clippingText(const Clipping& clipping);

/// Errors, as sentences for the reader: the text is not nodes of ours, of another version, damaged, more than 16 MiB,
/// or holds none.
Result<Clipping> readClipping(std::string_view text);

/// A fragment to be pasted into `graph` with the wires from those of its nodes that are called as the sources were.
/// Inputs that are wired within the clipping, and sources that the graph does not have, are left out.
Graph withInputs(const Clipping& clipping, const Graph& graph);

/// The system's clipboard; text for other programs, the same under a type of ours. GUI thread only.
void putOnClipboard(const Clipping& clipping);
Result<Clipping> takeFromClipboard(); ///< errors as readClipping

} // namespace unroll
