// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Random documents and edits for property tests, over the blocks of core/block/test_specs.h.

#include "core/block/test_specs.h"
#include "core/check/ports.h"
#include "core/graph/edit.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace unroll::testing_specs {

class Random {
public:
    explicit Random(std::uint64_t seed) : m_bits(seed) {}
    std::size_t below(std::size_t end) { return static_cast<std::size_t>(m_bits() % end); }
    bool chance(std::size_t in) { return below(in) == 0; }
    template <class T>
    const T& of(const std::vector<T>& list)
    {
        return list[below(list.size())];
    }

private:
    std::mt19937_64 m_bits;
};

/// A model that check calls valid: a chain of random blocks, some of them joined by additions, some in groups.
class RandomModel {
public:
    explicit RandomModel(std::uint64_t seed) : m_random(seed) {}

    Graph make()
    {
        m_maker.node("text", "text")
            .node("embedding", "embedding", {{"width", width()}})
            .wire("text.tokens", "embedding.tokens");
        m_last = "embedding.y";
        for (std::size_t count = m_random.below(8); count > 0; --count)
            addBlock();
        m_maker.node("head", "head").wire(m_last, "head.x").wire("text.targets", "head.targets");
        Graph graph = m_maker.graph();
        for (int tries = 0; tries < 2; ++tries)
            graph = withGroup(std::move(graph));
        return graph;
    }

private:
    std::int64_t width() { return m_width = std::int64_t{4} << m_random.below(4); }

    void addBlock()
    {
        const std::string name = "n" + std::to_string(++m_count);
        switch (m_random.below(4)) {
        case 0: m_maker.node("linear", name, {{"units", width()}}).wire(m_last, name + ".x"); break;
        case 1:
            m_maker.node("lstm", name, {{"units", width()}}).wire(m_last, name + ".x");
            if (m_random.chance(3))
                m_maker.wire("text.mask", name + ".mask");
            break;
        case 2: m_maker.node("attention", name, {{"num_heads", std::int64_t{2}}}).wire(m_last, name + ".x"); break;
        default:
            m_maker.node("linear", name + "_side", {{"units", m_width}}).wire(m_last, name + "_side.x");
            m_maker.node("add", name).wire(m_last, name + ".a").wire(name + "_side.y", name + ".b");
        }
        m_last = name + ".y";
    }

    Graph withGroup(Graph graph)
    {
        std::set<NodeId> ids;
        for (const auto& [id, node] : graph.nodes)
            if (node->name.front() == 'n' && m_random.chance(2))
                ids.insert(id);
        const auto grouped = edits::makeGroup(ids, "g").apply(graph);
        return grouped ? *grouped : graph;
    }

    Random m_random;
    GraphMaker m_maker;
    std::string m_last;
    std::int64_t m_width = 0;
    int m_count = 0;
};

/// Edits that a user might make, at a random place of the document, some of them impossible.
class RandomEdits {
public:
    explicit RandomEdits(std::uint64_t seed) : m_random(seed), m_blocks(registry()) {}

    GraphEdit next(const Graph& document)
    {
        GroupPath path;
        const Graph* graph = &document;
        while (!m_random.chance(3)) {
            std::vector<NodeId> groups;
            for (const auto& [id, node] : graph->nodes)
                if (node->group)
                    groups.push_back(id);
            if (groups.empty())
                break;
            path.push_back(m_random.of(groups));
            graph = graph->find(path.back())->group->graph.get();
        }
        return edits::inside(path, editOf(*graph));
    }

private:
    NodeId anyNode(const Graph& graph)
    {
        std::vector<NodeId> ids{graph.nextId + 3}; // gone
        for (const auto& [id, node] : graph.nodes)
            ids.insert(ids.end(), 4, id);
        return m_random.of(ids);
    }

    std::set<NodeId> someNodes(const Graph& graph)
    {
        std::set<NodeId> ids;
        for (const auto& [id, node] : graph.nodes)
            if (m_random.chance(3))
                ids.insert(id);
        return ids;
    }

    std::string anyPort(const Graph& graph, NodeId id, bool output)
    {
        const Node* node = graph.find(id);
        std::vector<std::string> names;
        const NodePorts ports = node == nullptr ? NodePorts{} : portsOf(*node, m_blocks);
        for (const PortSpec& port : output ? ports.outputs : ports.inputs)
            names.insert(names.end(), 6, port.name);
        names.push_back(output ? "y" : "x");
        return m_random.of(names);
    }

    Wire anyWire(const Graph& graph)
    {
        const NodeId from = anyNode(graph), to = anyNode(graph);
        return {{from, anyPort(graph, from, true)}, {to, anyPort(graph, to, false)}};
    }

    Wire existingWire(const Graph& graph) { return graph.wires.empty() ? anyWire(graph) : m_random.of(graph.wires); }
    Place anyPlace()
    {
        return {static_cast<double>(m_random.below(900)), static_cast<double>(m_random.below(900)) / 8};
    }

    Node anyNewNode()
    {
        static const std::vector<std::string> kIds{"text",      "embedding", "linear", "lstm", "lstm",
                                                   "attention", "smooth",    "add",    "head", "unheard_of"};
        return {.block = m_random.of(kIds), .place = anyPlace()};
    }

    ByCopy anyByCopy()
    {
        ByCopy values{static_cast<ByCopy::Rule>(m_random.below(4)), 0, {}};
        if (values.rule != ByCopy::Rule::List)
            values.count = static_cast<std::int64_t>(m_random.below(4));
        for (std::size_t left = values.rule == ByCopy::Rule::List ? 1 + m_random.below(4) : 2; left > 0; --left)
            values.values.emplace_back(m_random.chance(9) ? PlainValue(true)
                                                          : PlainValue(static_cast<std::int64_t>(m_random.below(9))));
        return values;
    }

    ParamValue anyValue()
    {
        switch (m_random.below(7)) {
        case 0: return m_random.chance(2);
        case 1: return static_cast<double>(m_random.below(40)) / 4;
        case 2: return std::string("both");
        case 3: return -static_cast<std::int64_t>(m_random.below(3));
        case 4: return anyByCopy();
        default: return static_cast<std::int64_t>(1 + m_random.below(64));
        }
    }

    PromotedPort anyInner(const Graph& graph, NodeId group, bool output)
    {
        const Node* node = graph.find(group);
        if (node == nullptr || !node->group)
            return {"p", {1, "x"}};
        const NodeId inner = anyNode(*node->group->graph);
        const std::string port = anyPort(*node->group->graph, inner, output);
        return {m_random.chance(2) ? port : "p" + std::to_string(m_random.below(5)), {inner, port}};
    }

    template <class T>
    T anyOf(const std::vector<T>& list, T otherwise)
    {
        return list.empty() ? otherwise : m_random.of(list);
    }

    GraphEdit groupEdit(const Graph& graph)
    {
        static const std::vector<std::string> kParams{"units", "num_heads", "width", "p"};
        std::vector<NodeId> groups{1};
        for (const auto& [id, node] : graph.nodes)
            if (node->group)
                groups.insert(groups.end(), 5, id);
        const NodeId id = m_random.of(groups);
        const Node* node = graph.find(id);
        const Group group = node != nullptr && node->group ? *node->group : Group{};
        const PromotedPort inner = anyInner(graph, id, false);
        const auto kind = static_cast<edits::Promoted>(m_random.below(3));
        const std::string shown = kind == edits::Promoted::Param   ? anyOf(group.params, {"units", 1, "units"}).name
                                  : kind == edits::Promoted::Input ? anyOf(group.inputs, inner).name
                                                                   : anyOf(group.outputs, inner).name;
        switch (m_random.below(11)) {
        case 0: return edits::unpackGroup(id);
        case 8: return edits::unrollGroup(id, 10);
        case 9:
            return edits::renamePromoted(id, kind, shown,
                                         m_random.chance(2) ? "p" + std::to_string(m_random.below(5)) : "x");
        case 10: return edits::movePromoted(id, kind, shown, static_cast<int>(m_random.below(3)) - 1);
        case 1:
            if (m_random.chance(4))
                return edits::setReversible(id, m_random.chance(2));
            return edits::setRepeat(id, static_cast<std::int64_t>(m_random.below(4)), m_random.chance(2));
        case 2: return edits::promoteParam(id, {m_random.of(kParams), inner.inner.node, m_random.of(kParams)});
        case 3: return edits::promoteInput(id, inner);
        case 4: return edits::promoteOutput(id, anyInner(graph, id, true));
        case 5: return edits::demoteInput(id, anyOf(group.inputs, inner));
        case 6: return edits::demoteOutput(id, anyOf(group.outputs, inner));
        default: return edits::demoteParam(id, anyOf(group.params, {"units", 1, "units"}));
        }
    }

    GraphEdit paramEdit(const Graph& graph)
    {
        static const std::vector<std::string> kParams{"units", "num_heads", "width",  "bidirectional",
                                                      "look",  "dropout",   "strange"};
        const NodeId id = anyNode(graph);
        return m_random.chance(4) ? edits::resetParam(id, m_random.of(kParams))
                                  : edits::setParam(id, m_random.of(kParams), anyValue());
    }

    GraphEdit nodeEdit(const Graph& graph)
    {
        const NodeId id = anyNode(graph);
        switch (m_random.below(6)) {
        case 0: return edits::removeNodes({id});
        case 1: return edits::removeAndHeal(id);
        case 2: return edits::moveNodes({{id, anyPlace()}, {anyNode(graph), anyPlace()}});
        case 3: return edits::renameNode(id, "name_" + std::to_string(m_random.below(9)));
        case 4: return edits::setBlock(id, anyNewNode().block);
        default: return edits::removeNodes(someNodes(graph));
        }
    }

    GraphEdit frameEdit(const Graph& graph)
    {
        const FrameId id = graph.frames.empty() ? 0 : graph.frames.begin()->first;
        const Frame frame{m_random.chance(2) ? 0 : id, "frame", anyPlace(), 10, 20.5};
        return m_random.chance(3) ? edits::removeFrame(id) : edits::setFrame(frame);
    }

    GraphEdit editOf(const Graph& graph)
    {
        const bool large = graph.nodes.size() > 14;
        switch (m_random.below(16)) {
        case 0:
        case 1:
        case 2: return large ? edits::removeNodes(someNodes(graph)) : edits::addNode(anyNewNode());
        case 3:
        case 4:
        case 5: return edits::connect(anyWire(graph));
        case 6: return edits::disconnect(existingWire(graph));
        case 7: return edits::insertOnWire(anyNewNode(), existingWire(graph), "x", "y");
        case 8:
            return edits::paste(fragment(graph, large ? std::set<NodeId>{} : someNodes(graph), m_random.chance(2)),
                                anyPlace(), m_random.chance(2));
        case 9:
        case 10: return edits::makeGroup(someNodes(graph), m_random.chance(2) ? "" : "stack");
        case 11:
        case 12: return groupEdit(graph);
        case 13: return frameEdit(graph);
        case 14:
            return m_random.chance(4) ? edits::sequence("Two", {nodeEdit(graph), paramEdit(graph)}) : paramEdit(graph);
        default: return nodeEdit(graph);
        }
    }

    Random m_random;
    BlockRegistry m_blocks;
};

} // namespace unroll::testing_specs
