// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit.h"

namespace unroll {

namespace {

constexpr std::size_t kMostEntries = 1'000'000; ///< nodes, wires and frames over all kept states: some 200 MB
constexpr std::size_t kLeastSteps = 50;         ///< kept however large the graph is

std::size_t entriesOf(const Graph& graph)
{
    return graph.nodes.size() + graph.wires.size() + graph.frames.size() + 1;
}

} // namespace

History::History(Graph graph)
{
    m_entries = entriesOf(graph);
    m_states.push_back({std::move(graph), "", "", 0});
}

Result<GraphDiff> History::apply(const GraphEdit& edit)
{
    auto after = edit.apply(graph());
    if (!after)
        return tl::unexpected(after.error());
    if (*after == graph())
        return GraphDiff{};
    GraphDiff change = diff(graph(), *after);
    const bool merges = m_mergeable && m_at > 0 && !edit.mergeKey.empty() && edit.mergeKey == m_states[m_at].mergeKey;
    while (m_states.size() > m_at + (merges ? 0 : 1)) {
        m_entries -= entriesOf(m_states.back().graph);
        m_states.pop_back();
    }
    m_entries += entriesOf(*after);
    m_states.push_back({std::move(*after), edit.name, edit.mergeKey, ++m_lastRevision});
    m_at = m_states.size() - 1;
    m_mergeable = true;
    forgetOldest();
    return change;
}

void History::forgetOldest()
{
    while (m_entries > kMostEntries && m_at > kLeastSteps) {
        m_entries -= entriesOf(m_states.front().graph);
        m_states.pop_front();
        --m_at;
    }
}

std::string History::undoName() const
{
    return canUndo() ? m_states[m_at].name : "";
}
std::string History::redoName() const
{
    return canRedo() ? m_states[m_at + 1].name : "";
}

GraphDiff History::undo()
{
    return canUndo() ? goTo(m_at - 1) : GraphDiff{};
}
GraphDiff History::redo()
{
    return canRedo() ? goTo(m_at + 1) : GraphDiff{};
}
void History::endMerge()
{
    m_mergeable = false;
}

void History::rewrite(const std::function<Graph(const Graph&)>& change)
{
    for (State& state : m_states)
        state.graph = change(state.graph);
    m_mergeable = false;
}

GraphDiff History::goTo(std::size_t state)
{
    GraphDiff change = diff(m_states[m_at].graph, m_states[state].graph);
    m_at = state;
    m_mergeable = false;
    return change;
}

} // namespace unroll
