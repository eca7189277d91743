// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <QPointF>
#include <set>

namespace unroll {

class GraphScene;

/// Goes from what is selected to what is next, by the keyboard.
class SelectionWalk {
public:
    explicit SelectionWalk(GraphScene& scene) : m_scene(scene) {}

    /// The node that comes next in this direction (a unit step along x or y) from the selected ones; the first node
    /// where none is. From a wire, the node at that end of it.
    void towards(const QPointF& direction);
    void nextWire();  ///< round the wires of the nodes that are selected, or of all
    void nextFrame(); ///< round the comments

    void picked(const std::set<NodeId>& nodes); ///< the scene has these selected now

private:
    GraphScene& m_scene;
    std::set<NodeId> m_wiresOf; ///< whose wires nextWire goes round
};

} // namespace unroll
