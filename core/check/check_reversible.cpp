// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a reversible group is drawn as one: y1 = x1 + F(x2), y2 = x2 + G(y1) (Gomez et al. 2017, equation 6), so that
// its inputs follow from its outputs.
#include "core/check/level.h"

#include <fmt/format.h>

#include <algorithm>

namespace unroll {

namespace {

constexpr const char* kReversible = "reversible";
constexpr std::size_t kShared = 2; ///< kind of an input that every copy reads; else the index of its stream

/// One of the two: an output of the group, the node inside that gives it, and the inputs of that node.
struct Stream {
    std::string output;
    PortRef given;
    PortRef direct; ///< takes the stream as it comes
    PortRef added;  ///< takes what is added to it
};

/// What an input inside is computed from.
struct Behind {
    std::set<NodeId> nodes;
    std::set<PortRef> entering; ///< inputs inside at which it enters the group
};

class ReversibleGroup {
public:
    ReversibleGroup(Level& level, Item& item)
        : m_level(level), m_item(item), m_group(*item.node->group), m_inner(*item.inner())
    {}

    void check()
    {
        if (!findStreams() || !findInputs() || !findOrder())
            return;
        const Behind f = behind(m_streams[0].added, 0), g = behind(m_streams[1].added, m_streams[0].given.node);
        if (!readsNoOther(f, 0) || !readsNoOther(g, 1) || !areApart(f.nodes, g.nodes) || !comesFromOne(0) ||
            !comesFromOne(1))
            return;
        m_item.checked.reversible = {m_streams[0].direct,
                                     m_streams[1].direct,
                                     m_streams[0].added.port,
                                     m_streams[1].added.port,
                                     f.nodes,
                                     g.nodes};
    }

private:
    bool fault(const std::string& where, const std::string& sentence)
    {
        m_item.mistaken = true;
        m_level
            .error(
                &m_item, where, kReversible,
                fmt::format("{} is reversible (y1 = x1 + F(x2), y2 = x2 + G(y1)), so {}", m_item.node->name, sentence))
            .fix = takeBack();
        return false;
    }

    bool faultInside(NodeId node, const std::string& sentence)
    {
        m_item.mistaken = true;
        m_inner.error(m_inner.item(node), "", kReversible, sentence).fix = takeBack();
        return false;
    }

    Fix takeBack() const
    {
        return m_level.fix("Set reversible to false", edits::setReversible(m_item.node->id, false));
    }

    /// Two nodes that sum give all outputs.
    bool findStreams()
    {
        for (const PromotedPort& output : m_group.outputs) {
            const Item& source = *m_inner.item(output.inner.node);
            if (source.spec == nullptr || source.node->group || !source.spec->sums)
                return fault(output.name, fmt::format("{} must come from an elementwise sum; it is {}.{}", output.name,
                                                      source.node->name, output.inner.port));
            if (std::none_of(m_streams.begin(), m_streams.end(),
                             [&](const Stream& stream) { return stream.given == output.inner; }))
                m_streams.push_back({output.name, output.inner, {}, {}});
        }
        return m_streams.size() == 2 ||
               fault(kReversible,
                     fmt::format("its outputs must come from two sums inside; they come from {}", m_streams.size()));
    }

    /// By place, as copies feed each other.
    std::size_t kindOf(std::size_t input) const
    {
        if (input >= m_group.outputs.size())
            return kShared;
        return m_group.outputs[input].inner == m_streams[0].given ? 0 : 1;
    }

    std::string inputsOf(std::size_t kind) const
    {
        std::string names;
        for (std::size_t i = 0; i < m_group.inputs.size(); ++i)
            if (kindOf(i) == kind)
                names += (names.empty() ? "" : ", ") + m_group.inputs[i].name;
        return names.empty() ? "none" : names;
    }

    bool findInputs()
    {
        for (std::size_t i = 0; i < m_group.inputs.size(); ++i)
            m_entering[m_group.inputs[i].inner] = i;
        for (std::size_t kind = 0; kind < m_streams.size(); ++kind) {
            Stream& stream = m_streams[kind];
            const Item& sum = *m_inner.item(stream.given.node);
            std::vector<PortRef> direct, other;
            for (const PortSpec& port : sum.inputs()) {
                const auto entering = m_entering.find({sum.node->id, port.name});
                const bool own = entering != m_entering.end() && kindOf(entering->second) == kind;
                (own ? direct : other).push_back({sum.node->id, port.name});
            }
            if (direct.size() != 1)
                return fault(
                    stream.output,
                    fmt::format("one input of {} must be an input of the group at the place of {} ({}); {} are",
                                sum.node->name, stream.output, inputsOf(kind), direct.size()));
            stream.direct = direct.front();
            stream.added = other.front();
        }
        for (const auto& [inner, input] : m_entering)
            if (const PortSpec* port = m_inner.item(inner.node)->input(inner.port);
                port != nullptr && port->type == PortType::State)
                return fault(m_group.inputs[input].name,
                             fmt::format("no state can be wired into it; {} is one", m_group.inputs[input].name));
        return true;
    }

    /// All that the input is computed from, up to a node (0: none).
    Behind behind(const PortRef& port, NodeId upTo) const
    {
        Behind found;
        std::vector<PortRef> open{port};
        while (!open.empty()) {
            const PortRef next = open.back();
            open.pop_back();
            if (m_entering.contains(next))
                found.entering.insert(next);
            const Wire* wire = m_inner.graph.wireInto(next);
            if (wire == nullptr || wire->from.node == upTo || !found.nodes.insert(wire->from.node).second)
                continue;
            const Item* source = m_inner.item(wire->from.node);
            if (source == nullptr || !source->isKnown()) // of which others have spoken
                continue;
            for (const PortSpec& input : source->inputs())
                open.push_back({source->node->id, input.name});
        }
        return found;
    }

    /// The stream that the other is computed from is the first one.
    bool findOrder()
    {
        const auto readsSum = [&](std::size_t kind) {
            return behind(m_streams[kind].added, 0).nodes.contains(m_streams[1 - kind].given.node);
        };
        const bool second = readsSum(1), first = readsSum(0);
        if (first && second)
            return fault(kReversible, "no loop may lead from an output back to F");
        if (!first && !second)
            return fault(m_streams[1].output,
                         fmt::format("one output must be computed from the other: neither {} nor {} is",
                                     m_streams[0].output, m_streams[1].output));
        if (first)
            std::swap(m_streams[0], m_streams[1]);
        return true;
    }

    /// F reads the second stream and no sum, G the first sum and no stream.
    bool readsNoOther(const Behind& part, std::size_t which)
    {
        for (const PortRef& inner : part.entering) {
            const std::size_t input = m_entering.at(inner), kind = kindOf(input);
            const bool allowed = kind == kShared || (which == 0 && m_group.outputs[input].inner == m_streams[1].given);
            if (!allowed)
                return fault(m_group.inputs[input].name,
                             fmt::format("{} cannot be computed from {} other than by the sum itself",
                                         m_streams[which].output, m_group.inputs[input].name));
        }
        if (part.nodes.contains(m_streams[which].given.node))
            return fault(m_streams[which].output,
                         fmt::format("no loop may lead from {} back to it", m_streams[which].output));
        return true;
    }

    bool areApart(const std::set<NodeId>& f, const std::set<NodeId>& g)
    {
        for (const Item& item : m_inner.items) {
            const NodeId id = item.node->id;
            const bool sum = id == m_streams[0].given.node || id == m_streams[1].given.node;
            if (f.contains(id) && g.contains(id))
                return faultInside(id,
                                   fmt::format("{} is read by both F and G of the reversible group {}, which run one "
                                               "after the other: each needs a node of its own",
                                               item.node->name, m_item.node->name));
            if (!sum && !f.contains(id) && !g.contains(id))
                return faultInside(id, fmt::format("{} is part of neither F nor G of the reversible group {}",
                                                   item.node->name, m_item.node->name));
        }
        return true;
    }

    /// An output, through the groups that show it.
    std::vector<PortRef> sourceOf(const PortRef& output) const
    {
        std::vector<PortRef> path{output};
        for (const Node* node = m_level.graph.find(output.node); node != nullptr && node->group;) {
            const auto& outputs = node->group->outputs;
            const auto shown = std::find_if(outputs.begin(), outputs.end(),
                                            [&](const PromotedPort& port) { return port.name == path.back().port; });
            if (shown == outputs.end())
                break;
            path.back().port.clear();
            path.push_back(shown->inner);
            node = node->group->graph->find(shown->inner.node);
        }
        return path;
    }

    /// Inputs of one stream bring the same values.
    bool comesFromOne(std::size_t which)
    {
        std::set<std::vector<PortRef>> sources;
        std::string names;
        std::size_t inputs = 0;
        for (std::size_t i = 0; i < m_group.inputs.size() && i < m_group.outputs.size(); ++i) {
            const PromotedPort& input = m_group.inputs[i];
            if (m_group.outputs[i].inner != m_streams[which].given)
                continue;
            names += (names.empty() ? "" : " and ") + input.name;
            ++inputs;
            const Wire* wire = m_level.graph.wireInto({m_item.node->id, input.name});
            sources.insert(wire != nullptr ? sourceOf(wire->from) : std::vector<PortRef>{{0, input.name}});
        }
        return inputs < 2 || sources.size() == 1 ||
               fault(m_streams[which].output, fmt::format("{} must be wired to the same output", names));
    }

    Level& m_level;
    Item& m_item;
    const Group& m_group;
    Level& m_inner;
    std::vector<Stream> m_streams;             ///< once their order is known: of F, of G
    std::map<PortRef, std::size_t> m_entering; ///< inputs of the group, by the input inside
};

} // namespace

void checkReversible(Level& level, Item& item)
{
    ReversibleGroup(level, item).check();
}

} // namespace unroll
