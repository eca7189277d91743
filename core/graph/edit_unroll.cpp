// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/by_copy.h"
#include "core/graph/edit_parts.h"
#include "core/graph/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

std::size_t placeOf(const std::vector<PromotedPort>& ports, const std::string& name)
{
    const auto named = [&](const PromotedPort& port) { return port.name == name; };
    return static_cast<std::size_t>(std::find_if(ports.begin(), ports.end(), named) - ports.begin());
}

/// Puts a chain of groups in the place of one that is repeated.
class Unrolling {
public:
    Unrolling(const Graph& before, const Node& node, double step)
        : m_before(before), m_node(node), m_group(*node.group), m_step(step), m_once(node)
    {
        m_once.group = single(m_group);
    }

    Result<Unrolled> unroll(Enclosing& enclosing)
    {
        m_made.graph = m_before;
        eraseNodes(m_made.graph, {m_node.id});
        takeByCopy(enclosing);
        if (auto made = makeCopies(); !made)
            return tl::unexpected(made.error());
        for (const Wire& wire : m_before.wires)
            if (wire.from.node == m_node.id || wire.to.node == m_node.id)
                rewire(wire);
        chain();
        if (auto followed = followEnclosing(enclosing); !followed)
            return tl::unexpected(followed.error());
        return std::move(m_made);
    }

private:
    static std::shared_ptr<const Group> single(Group group)
    {
        group.repeat = 1;
        group.sharedWeights = false;
        return std::make_shared<const Group>(std::move(group));
    }

    /// Values by copy that a group around sets become the copies' own: there they would count other copies.
    void takeByCopy(Enclosing& enclosing)
    {
        std::erase_if(enclosing.params, [&](const PromotedParam& param) {
            const auto set = enclosing.set.find(param.name);
            if (param.node != m_once.id || set == enclosing.set.end() || !std::holds_alternative<ByCopy>(set->second) ||
                !countsAround(m_once, param.param))
                return false;
            m_once.params[param.param] = set->second;
            forgetWritten(m_once, param.param);
            return true;
        });
    }

    Result<void> makeCopies()
    {
        const std::string stem = isValidName(m_node.name) ? m_node.name : validNameFrom(m_node.name, m_node.block);
        NameBook names(m_made.graph);
        for (std::int64_t i = 0; i < m_group.repeat; ++i) {
            auto id = takeId(m_made.graph);
            if (!id)
                return tl::unexpected(id.error());
            auto copy = nodeIn(m_once, i + 1, m_group.repeat);
            if (!copy)
                return tl::unexpected(copy.error());
            copy->id = *id;
            copy->name = names.take(fmt::format("{}_{}", stem, i + 1));
            copy->place.x += static_cast<double>(i) * m_step;
            m_made.graph.addNode(std::move(*copy));
            m_made.copies.push_back(*id);
        }
        return {};
    }

    /// What an output of a copy feeds in the next; the inputs beyond the outputs reach every copy from outside.
    bool isChained(const std::string& input) const { return placeOf(m_group.inputs, input) < m_group.outputs.size(); }

    void rewire(const Wire& wire)
    {
        const PortRef from{wire.from.node == m_node.id ? m_made.copies.back() : wire.from.node, wire.from.port};
        if (wire.to.node != m_node.id)
            return connectWire(m_made.graph, {from, wire.to});
        connectWire(m_made.graph, {from, {m_made.copies.front(), wire.to.port}});
        for (std::size_t i = 1; i < m_made.copies.size() && !isChained(wire.to.port); ++i)
            connectWire(m_made.graph, {from, {m_made.copies[i], wire.to.port}});
    }

    void chain()
    {
        const std::size_t pairs = std::min(m_group.inputs.size(), m_group.outputs.size());
        for (std::size_t i = 1; i < m_made.copies.size(); ++i)
            for (std::size_t k = 0; k < pairs; ++k)
                connectWire(m_made.graph, {{m_made.copies[i - 1], m_group.outputs[k].name},
                                           {m_made.copies[i], m_group.inputs[k].name}});
    }

    Result<void> followEnclosing(Enclosing& enclosing) const
    {
        for (PromotedPort& port : enclosing.outputs)
            if (port.inner.node == m_node.id)
                port.inner.node = m_made.copies.back();
        std::vector<PortRef> fed;
        for (PromotedPort& port : enclosing.inputs)
            if (port.inner.node == m_node.id) {
                port.inner.node = m_made.copies.front();
                if (!isChained(port.inner.port))
                    fed.push_back(port.inner);
            }
        for (const PortRef& input : fed)
            for (std::size_t i = 1; i < m_made.copies.size(); ++i)
                if (auto twin = addTwin(enclosing, input, {m_made.copies[i], input.port}); !twin)
                    return twin;
        std::vector<PromotedParam> params;
        for (const PromotedParam& param : enclosing.params) {
            if (param.node != m_node.id)
                params.push_back(param);
            else
                for (const NodeId copy : m_made.copies)
                    params.push_back({param.name, copy, param.param});
        }
        enclosing.params = std::move(params);
        return {};
    }

    const Graph& m_before;
    const Node& m_node;
    const Group& m_group;
    double m_step;
    Node m_once; ///< not repeated, with the values by copy that count for it
    Unrolled m_made;
};

} // namespace

Result<Unrolled> unroll(const Graph& graph, NodeId id, double step, Enclosing& enclosing)
{
    const auto group = groupOf(graph, id);
    if (!group)
        return tl::unexpected(group.error());
    const std::string& name = graph.find(id)->name;
    const std::int64_t repeat = (*group)->repeat;
    if (repeat == 1)
        return fail(fmt::format("{} is not repeated: there is nothing to unroll", name));
    if (repeat < 1 || repeat > kMostUnrolled)
        return fail(fmt::format("{} is repeated {} times: groups of 1 to {} copies can be unrolled", name, repeat,
                                kMostUnrolled));
    if ((*group)->sharedWeights)
        return fail(fmt::format(
            "the copies of {} share one set of weights, which separate nodes cannot: turn shared weights off first",
            name));
    if (!std::isfinite(step))
        return fail("the distance of the copies must be finite");
    return Unrolling(graph, *graph.find(id), step).unroll(enclosing);
}

GraphEdit edits::unrollGroup(NodeId id, double step)
{
    const auto apply = [id, step](const Graph& graph, Enclosing& enclosing) -> Result<Graph> {
        auto made = unroll(graph, id, step, enclosing);
        if (!made)
            return tl::unexpected(made.error());
        return std::move(made->graph);
    };
    return {"Unroll group",
            [apply](const Graph& graph) {
                Enclosing none;
                return apply(graph, none);
            },
            "", apply};
}

} // namespace unroll
