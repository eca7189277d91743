// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <cmath>
#include <map>
#include <set>
#include <string>

namespace unroll {

/// What a node covers on the canvas, and how far below its top the middles of its ports lie. Scene units; the canvas
/// knows them, the document does not.
struct NodeExtent {
    double width = 0;
    double height = 0;
    std::map<std::string, double> inputs;
    std::map<std::string, double> outputs;
};
using NodeExtents = std::map<NodeId, NodeExtent>;

/// Places of nodes, and the comments that go with them.
struct Layout {
    std::map<NodeId, Place> nodes;
    std::map<FrameId, Frame> frames;
};

/// Nodes stand on this grid; so do places that a layout gives.
inline constexpr double kLayoutGrid = 10;
inline double upToGrid(double length)
{
    return std::ceil(length / kLayoutGrid) * kLayoutGrid;
}

/// A layered layout of these nodes (Sugiyama, Tagawa and Toda 1981): columns by longest path, ordered within a column
/// by barycentres, shifted until wires run as level as they can, and moved out of the way of wires that would be drawn
/// behind them. No two of the nodes overlap, and every wire among them runs from left to right but for one or more of
/// each cycle. What would be very wide (long chains) is folded into rows that read like lines of text; wires from one
/// row to the next run back between them. What hangs together by wires lies together; the whole keeps its top left
/// corner, or goes down from there until it covers no node that is left out. A comment goes on enclosing the nodes in
/// it, one without nodes goes along with the nearest. Depends on nothing but ids, wires and extents: doing it twice is
/// doing it once. Ids that the graph does not have are skipped.
Layout layOut(const Graph& graph, const std::set<NodeId>& ids, const NodeExtents& extents);

/// Which nodes go to the right, and where, so that a node of this extent fits between the ends of the wire with its top
/// left corner at `at`. The node itself goes first, as `self`, where it would cover the node that the wire comes from.
/// Then what the wire leads to, with all that follows it, as far as the node needs; and what would be covered by these.
/// Nothing moves where a wire runs back, or in a cycle.
std::map<NodeId, Place> makeRoom(const Graph& graph, const NodeExtents& extents, const Wire& wire, NodeId self,
                                 const NodeExtent& extent, const Place& at);

} // namespace unroll
