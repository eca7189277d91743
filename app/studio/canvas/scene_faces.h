// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/graph_level.h"
#include "app/studio/canvas/node_item.h"
#include "app/studio/canvas/wire_item.h"
#include "app/studio/document/problems.h"
#include "core/graph/edit.h"

#include <map>

namespace unroll {

/// What the nodes and wires of a level say: their parameters and shapes, what is wrong with them, which one the heat
/// map shows, which ones the run has otherwise.
class SceneFaces {
public:
    SceneFaces(const Document& document, const Problems& problems, const GraphLevel& level);

    /// The node's path of names in the document. False: it was this one already.
    bool setWatched(const std::string& place);
    void setTrained(const Graph* graph); ///< nullptr: there is no run to differ from

    void refreshNodes(const std::map<NodeId, NodeItem*>& nodes, const Graph& shown) const;
    void refreshWires(const std::map<Wire, WireItem*>& wires, const std::map<NodeId, NodeItem*>& nodes) const;

private:
    const Document& m_document;
    const Problems& m_problems;
    const GraphLevel& m_level;
    std::string m_watched;
    std::optional<Graph> m_trained;
};

/// Of the nodes those that differ, and those that they are or were wired to.
std::map<NodeId, NodeItem*> touchedBy(const GraphDiff& changes, const Graph& shown,
                                      const std::map<NodeId, NodeItem*>& nodes);

/// Wires of one output carry the same: where their shapes would be written over each other, one says it.
void writeShapes(const std::map<Wire, WireItem*>& wires);

} // namespace unroll
