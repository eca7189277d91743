// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The parts of a layered layout; see layout.h.

#include "core/graph/layout/layout.h"

#include <cstddef>
#include <vector>

namespace unroll {

/// What stands in a column: a node, or the lane of a wire that passes by on its way to a later column.
struct Cell {
    NodeId node = 0; ///< 0: a lane
    std::size_t layer = 0;
    double width = 0;
    double height = 0;

    bool isLane() const { return node == 0; }
};

/// A wire, or a piece of one, between cells of neighbouring columns. Heights of its ends below the tops of their cells.
struct Link {
    std::size_t from = 0;
    std::size_t to = 0;
    double leaves = 0;
    double arrives = 0;
};

struct Layers {
    std::vector<Cell> cells;
    std::vector<Link> links;
    std::vector<std::vector<std::size_t>> columns; ///< cells from top to bottom
    std::vector<std::vector<std::size_t>> in, out; ///< links of each cell
};

/// The nodes in columns, a node as far left as the longest way to it allows, and one that nothing feeds beside the
/// first that it feeds. In cycles the wires that lead back are left out.
Layers layersOf(const Graph& graph, const std::set<NodeId>& ids, const NodeExtents& extents);

/// Orders every column by barycentres, in sweeps to and fro; keeps the order with the fewest crossings.
void orderColumns(Layers& layers);

/// How many pairs of links cross.
std::size_t crossings(const Layers& layers);

/// The top of every cell, on the grid: links as level as the order and the gaps allow.
std::vector<double> topsOf(const Layers& layers);

/// Of every column, as wide as its widest node.
std::vector<double> widthsOf(const Layers& layers);

/// The left edge of every column; the room between two columns is `gap`.
std::vector<double> leftsOf(const Layers& layers, double gap);

/// Makes way for wires that are drawn behind nodes: a wire goes from end to end and not along its lane, so the lane is
/// laid where the wire is, as high as that rises or falls in the column, and the nodes give way; a few times over,
/// since ends move with their nodes. The tops with the fewest hidden wires, which are the given ones where none is
/// hidden.
std::vector<double> clearedTops(const Layers& layers, const std::vector<double>& lefts, std::vector<double> tops);

} // namespace unroll
