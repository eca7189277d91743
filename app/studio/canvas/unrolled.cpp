// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/unrolled.h"

#include "app/studio/theme/glyph.h"
#include "app/studio/theme/translated.h"

#include <QStringList>
#include <algorithm>
#include <set>

namespace unroll {

namespace {

constexpr qsizetype kLongestPart = 2;         ///< letters of a part that is named on the arrow
constexpr const char* kTurnsTime = "reverse"; ///< the block after which steps run from the last to the first

bool isDelay(const BlockSpec* spec)
{
    return spec != nullptr &&
           std::any_of(spec->inputs.begin(), spec->inputs.end(), [](const PortSpec& port) { return port.delayed; });
}

/// The inside of a group as cells and links.
class GroupInside {
public:
    GroupInside(const Group& group, const BlockRegistry& registry, const CheckedGraph* checked)
        : m_group(group), m_graph(*group.graph), m_registry(registry), m_checked(checked)
    {
        for (const auto& [id, node] : m_graph.nodes)
            m_specs[id] = registry.find(node->block);
        findEdges();
        dissolveDelays();
        order();
    }

    void fill(Unrolled& whole) const
    {
        for (const NodeId id : m_order)
            whole.cells.push_back(cellOf(id));
        for (const Edge& edge : m_edges)
            whole.links.push_back({indexOf(edge.from, UnrolledLink::kInput), indexOf(edge.to, UnrolledLink::kOutput),
                                   QString::fromStdString(edge.delay)});
        std::stable_sort(whole.links.begin(), whole.links.end(),
                         [](const UnrolledLink& a, const UnrolledLink& b) { return a.from < b.from; });
    }

private:
    /// From node to node; 0 is the outside of the group.
    struct Edge {
        NodeId from = 0, to = 0;
        std::string delay;
        bool operator==(const Edge&) const = default;
    };

    const BlockSpec* specOf(NodeId id) const { return m_specs.at(id); }

    /// Type of an output, looked up inside of groups. Nothing: unknown, or a port that is not there.
    static std::optional<PortType> outputType(const Graph& graph, const PortRef& port, const BlockRegistry& registry)
    {
        const Node* node = graph.find(port.node);
        if (node == nullptr)
            return {};
        if (node->group) {
            for (const PromotedPort& outer : node->group->outputs)
                if (outer.name == port.port)
                    return outputType(*node->group->graph, outer.inner, registry);
            return {};
        }
        const BlockSpec* spec = registry.find(node->block);
        const PortSpec* output = spec != nullptr ? spec->output(port.port) : nullptr;
        return output != nullptr ? std::optional(output->type) : std::nullopt;
    }
    static std::optional<PortType> inputType(const Graph& graph, const PortRef& port, const BlockRegistry& registry)
    {
        const Node* node = graph.find(port.node);
        if (node == nullptr)
            return {};
        if (node->group) {
            for (const PromotedPort& outer : node->group->inputs)
                if (outer.name == port.port)
                    return inputType(*node->group->graph, outer.inner, registry);
            return {};
        }
        const BlockSpec* spec = registry.find(node->block);
        const PortSpec* input = spec != nullptr ? spec->input(port.port) : nullptr;
        return input != nullptr ? std::optional(input->type) : std::nullopt;
    }

    static bool isEachStep(std::optional<PortType> type)
    {
        return type == PortType::Sequence || type == PortType::Tokens || type == PortType::Targets ||
               type == PortType::TargetValues;
    }

    void add(Edge edge)
    {
        if (std::find(m_edges.begin(), m_edges.end(), edge) == m_edges.end())
            m_edges.push_back(std::move(edge));
    }

    void findEdges()
    {
        for (const PromotedPort& input : m_group.inputs)
            if (isEachStep(inputType(m_graph, input.inner, m_registry)))
                add({0, input.inner.node, {}});
        for (const Wire& wire : m_graph.wires)
            if (isEachStep(outputType(m_graph, wire.from, m_registry)))
                add({wire.from.node, wire.to.node, {}});
        for (const PromotedPort& output : m_group.outputs)
            if (isEachStep(outputType(m_graph, output.inner, m_registry)))
                add({output.inner.node, 0, {}});
    }

    /// Over time a delay is an arrow to the next step. One beside another delay stays a cell: an arrow over two steps
    /// could not be followed.
    void dissolveDelays()
    {
        const auto delays = [this](NodeId id) { return id != 0 && isDelay(specOf(id)); };
        std::set<NodeId> gone;
        for (const auto& [id, spec] : m_specs) {
            const auto touches = [&, self = id](const Edge& edge) {
                return (edge.to == self && delays(edge.from)) || (edge.from == self && delays(edge.to));
            };
            const bool isFed =
                std::any_of(m_edges.begin(), m_edges.end(), [self = id](const Edge& edge) { return edge.to == self; });
            if (isDelay(spec) && isFed && std::none_of(m_edges.begin(), m_edges.end(), touches))
                gone.insert(id);
        }
        const std::vector<Edge> before = std::exchange(m_edges, {});
        for (const Edge& edge : before)
            if (!gone.contains(edge.from) && !gone.contains(edge.to))
                add(edge);
        for (const Edge& in : before)
            for (const Edge& out : before)
                if (in.to != 0 && gone.contains(in.to) && out.from == in.to)
                    add({in.from, out.to, m_graph.find(in.to)->name});
        for (const auto& [id, spec] : m_specs)
            if (!gone.contains(id))
                m_kept.insert(id);
    }

    /// What a cell waits for within a step: those it reads that are not a step older.
    std::vector<NodeId> waitsFor(NodeId id) const
    {
        std::vector<NodeId> sources;
        for (const Edge& edge : m_edges)
            if (edge.to == id && edge.from != 0 && edge.delay.empty() && (id == 0 || !isDelay(specOf(id))))
                sources.push_back(edge.from);
        return sources;
    }

    /// Cells of the longest way to it; within a loop that no delay breaks, some number.
    std::size_t depthOf(NodeId id)
    {
        const auto [known, isNew] = m_depths.try_emplace(id, 0);
        if (!isNew)
            return known->second;
        std::size_t deepest = 0;
        for (const NodeId source : waitsFor(id))
            deepest = std::max(deepest, depthOf(source) + 1);
        return m_depths[id] = deepest;
    }

    /// Each cell close above what it reads: the longest way to it first.
    void visit(NodeId id)
    {
        if (const auto [at, isNew] = m_visited.try_emplace(id, false); !isNew) {
            if (!at->second)
                m_stuck.insert(id); // it waits for itself
            return;
        }
        std::vector<NodeId> sources = waitsFor(id);
        std::stable_sort(sources.begin(), sources.end(),
                         [this](NodeId a, NodeId b) { return depthOf(a) > depthOf(b); });
        for (const NodeId source : sources)
            visit(source);
        m_visited[id] = true;
        if (id == 0)
            return;
        m_turned[id] = turnsBefore(id);
        m_order.push_back(id);
    }

    /// By dependency within a step, from what the group gives.
    void order()
    {
        visit(0);
        for (const NodeId id : m_kept)
            if (!m_visited.contains(id))
                visit(id);
    }

    /// Whether what it reads runs from the last step to the first.
    bool turnsBefore(NodeId id) const
    {
        for (const Edge& edge : m_edges)
            if (edge.to == id && edge.from != 0 && edge.delay.empty() && m_turned.contains(edge.from))
                return m_turned.at(edge.from) != (m_graph.find(edge.from)->block == kTurnsTime);
        return false;
    }

    UnrolledCell cellOf(NodeId id) const
    {
        const Node& node = *m_graph.find(id);
        const BlockSpec* spec = specOf(id);
        UnrolledCell cell{.name = QString::fromStdString(node.name),
                          .category = spec != nullptr ? spec->category : Category::Layer,
                          .glyph = blockGlyph(spec),
                          .isBackward = m_turned.at(id),
                          .isUnreachable = m_stuck.contains(id)};
        if (node.group) {
            cell.copies = node.group->repeat;
            cell.state = carriesState(node, m_registry) ? tr("state") : QString();
        } else if (spec != nullptr && spec->recurrent) {
            cell.state = stateWord(*spec);
            cell.isBothWays = !spec->isCausal(paramsOf(node, *spec));
        }
        return cell;
    }

    Params paramsOf(const Node& node, const BlockSpec& spec) const
    {
        if (m_checked != nullptr)
            if (const auto found = m_checked->nodes.find(node.id);
                found != m_checked->nodes.end() && found->second.spec == &spec)
                return found->second.params;
        return spec.withDefaults(node.params);
    }

    int indexOf(NodeId id, int outside) const
    {
        const auto found = std::find(m_order.begin(), m_order.end(), id);
        return id == 0 || found == m_order.end() ? outside : static_cast<int>(found - m_order.begin());
    }

    const Group& m_group;
    const Graph& m_graph;
    const BlockRegistry& m_registry;
    const CheckedGraph* m_checked;
    std::map<NodeId, const BlockSpec*> m_specs;
    std::vector<Edge> m_edges;
    std::set<NodeId> m_kept, m_stuck;
    std::map<NodeId, std::size_t> m_depths;
    std::map<NodeId, bool> m_visited; ///< true: with all that it waits for
    std::vector<NodeId> m_order;
    std::map<NodeId, bool> m_turned;
};

/// A block alone: x below, y above, its state between the steps.
Unrolled cellAlone(const Node& node, const BlockSpec& spec, const CheckedNode* checked)
{
    const Params params =
        checked != nullptr && checked->spec == &spec ? checked->params : spec.withDefaults(node.params);
    Unrolled whole{.name = QString::fromStdString(node.name), .kind = QString::fromStdString(spec.title)};
    whole.cells.push_back({.name = whole.name,
                           .category = spec.category,
                           .glyph = blockGlyph(&spec),
                           .state = stateWord(spec),
                           .isBothWays = !spec.isCausal(params)});
    whole.links = {{UnrolledLink::kInput, 0, {}}, {0, UnrolledLink::kOutput, {}}};
    return whole;
}

} // namespace

QString stateWord(const BlockSpec& spec)
{
    const PortSpec* state = spec.output("state");
    QStringList parts;
    for (const std::string& part : state != nullptr ? state->parts : std::vector<std::string>())
        parts << QString::fromStdString(part);
    const bool fits =
        std::all_of(parts.begin(), parts.end(), [](const QString& p) { return p.size() <= kLongestPart; });
    return parts.isEmpty() || !fits ? tr("state") : parts.join(", ");
}

bool carriesState(const Node& node, const BlockRegistry& registry)
{
    if (node.group)
        return std::any_of(node.group->graph->nodes.begin(), node.group->graph->nodes.end(),
                           [&](const auto& inner) { return carriesState(*inner.second, registry); });
    const BlockSpec* spec = registry.find(node.block);
    return spec != nullptr && spec->recurrent;
}

std::optional<Unrolled> unrolled(const Node& node, const BlockRegistry& registry, const CheckedNode* checked)
{
    const BlockSpec* spec = registry.find(node.block);
    if (spec == nullptr || !carriesState(node, registry))
        return {};
    if (!node.group)
        return cellAlone(node, *spec, checked);
    Unrolled whole{.name = QString::fromStdString(node.name),
                   .kind = QString::fromStdString(spec->title),
                   .isGroup = true,
                   .copies = node.group->repeat};
    GroupInside(*node.group, registry, checked != nullptr ? checked->inner.get() : nullptr).fill(whole);
    return whole;
}

} // namespace unroll
