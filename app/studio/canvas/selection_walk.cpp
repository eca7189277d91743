// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/selection_walk.h"

#include "app/studio/canvas/graph_scene.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace unroll {

void SelectionWalk::towards(const QPointF& direction)
{
    if (const Picked what = m_scene.picked(); what.nodes.empty() && !what.wires.empty()) {
        const Wire& wire = *what.wires.begin();
        return m_scene.select({direction.x() + direction.y() < 0 ? wire.from.node : wire.to.node});
    }
    const QList<NodeItem*> nodes = m_scene.nodeItems();
    if (m_scene.selection().empty()) {
        if (!nodes.empty())
            m_scene.select({nodes.front()->id()});
        return;
    }
    const QPointF from = m_scene.nodesRect(true).center();
    std::map<double, NodeId> ahead; // by how far it is; what lies aside counts double
    for (const NodeItem* item : nodes) {
        const QPointF way = item->mapRectToScene(item->geometry().body()).center() - from;
        const double along = QPointF::dotProduct(way, direction);
        const double aside = std::abs(way.x() * direction.y() - way.y() * direction.x());
        if (!item->isSelected() && along > 0)
            ahead.insert({along + 2 * aside, item->id()});
    }
    if (!ahead.empty())
        m_scene.select({ahead.begin()->second});
}

void SelectionWalk::nextWire()
{
    const Picked what = m_scene.picked();
    const std::set<NodeId> of = !what.nodes.empty() ? what.nodes : what.wires.empty() ? std::set<NodeId>() : m_wiresOf;
    std::vector<Wire> round;
    for (const Wire& wire : m_scene.shown().wires)
        if (of.empty() || of.contains(wire.from.node) || of.contains(wire.to.node))
            round.push_back(wire);
    if (round.empty())
        return;
    const auto at = what.wires.empty() ? round.end() : std::find(round.begin(), round.end(), *what.wires.begin());
    m_scene.pick({{}, {at == round.end() || at + 1 == round.end() ? round.front() : *(at + 1)}, {}});
}

void SelectionWalk::nextFrame()
{
    const auto& frames = m_scene.shown().frames;
    if (frames.empty())
        return;
    const Picked what = m_scene.picked();
    const auto next = what.frames.empty() ? frames.begin() : frames.upper_bound(*what.frames.begin());
    m_scene.pick({{}, {}, {next == frames.end() ? frames.begin()->first : next->first}});
}

void SelectionWalk::picked(const std::set<NodeId>& nodes)
{
    if (!nodes.empty())
        m_wiresOf = nodes;
}

} // namespace unroll
