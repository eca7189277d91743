// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/graph_level.h"

namespace unroll {

void GraphLevel::settle()
{
    while (graph() == nullptr)
        m_path.pop_back();
}

const Graph* GraphLevel::graphAt(const Graph& top, const GroupPath& path)
{
    const Graph* graph = &top;
    for (const NodeId id : path) {
        const Node* node = graph->find(id);
        if (node == nullptr || !node->group)
            return nullptr;
        graph = node->group->graph.get();
    }
    return graph;
}

const Group* GraphLevel::around() const
{
    if (m_path.empty())
        return nullptr;
    const Graph* above = graphAt(m_document.graph(), GroupPath(m_path.begin(), m_path.end() - 1));
    const Node* node = above != nullptr ? above->find(m_path.back()) : nullptr;
    return node != nullptr ? node->group.get() : nullptr;
}

const CheckedGraph* GraphLevel::checked() const
{
    const CheckedGraph* level = m_document.checked().get();
    for (const NodeId id : m_path) {
        const auto found = level->nodes.find(id);
        if (found == level->nodes.end() || !found->second.inner)
            return nullptr;
        level = found->second.inner.get();
    }
    return level;
}

const CheckedNode* GraphLevel::checkedNode(const Node& node) const
{
    const CheckedGraph* level = checked();
    if (level == nullptr || !level->nodes.contains(node.id))
        return nullptr;
    const CheckedNode& seen = level->nodes.at(node.id);
    return seen.spec != nullptr && seen.spec->id == node.block ? &seen : nullptr;
}

std::string GraphLevel::prefix() const
{
    std::string prefix;
    for (const QString& name : names())
        prefix += name.toStdString() + ".";
    return prefix;
}

QStringList GraphLevel::names() const
{
    QStringList names;
    const Graph* graph = &m_document.graph();
    for (const NodeId id : m_path) {
        const Node* node = graph->find(id);
        if (node == nullptr || !node->group) // the document has changed and we have not heard of it yet
            break;
        names += QString::fromStdString(node->name);
        graph = node->group->graph.get();
    }
    return names;
}

} // namespace unroll
