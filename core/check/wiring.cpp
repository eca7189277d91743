// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/wiring.h"

#include "core/check/check.h"
#include "core/check/ports.h"

#include <algorithm>

namespace unroll {

namespace {

const std::vector<PortSpec>& side(const NodePorts& ports, bool outputs)
{
    return outputs ? ports.outputs : ports.inputs;
}

/// The nodes that can be reached from `start` along the wires, or against them; with itself.
std::set<NodeId> reached(const Graph& graph, NodeId start, bool along, const Wire* without)
{
    std::multimap<NodeId, NodeId> steps;
    for (const Wire& wire : graph.wires)
        if (without == nullptr || wire != *without)
            steps.insert(along ? std::pair(wire.from.node, wire.to.node) : std::pair(wire.to.node, wire.from.node));
    std::set<NodeId> seen{start};
    std::vector<NodeId> open{start};
    while (!open.empty()) {
        const auto [first, last] = steps.equal_range(open.back());
        open.pop_back();
        for (auto step = first; step != last; ++step)
            if (seen.insert(step->second).second)
                open.push_back(step->second);
    }
    return seen;
}

bool forbids(const Diagnostic& diagnostic, const Wire& wire, bool circular)
{
    if (diagnostic.code == "type-mismatch")
        return diagnostic.node == wire.to.node && diagnostic.where == wire.to.port;
    return circular && diagnostic.code == "cycle"; // there may be others, which are not this wire's
}

} // namespace

std::optional<PortType> typeOf(const Graph& graph, const BlockRegistry& registry, const WireEnd& end)
{
    const Node* node = graph.find(end.port.node);
    if (node == nullptr)
        return std::nullopt;
    const NodePorts ports = portsOf(*node, registry);
    for (const PortSpec& port : side(ports, end.isOutput))
        if (port.name == end.port.port)
            return port.type;
    return std::nullopt;
}

std::set<PortRef> wirePartners(const Graph& graph, const BlockRegistry& registry, const WireEnd& end, const Wire* moved)
{
    std::set<PortRef> partners;
    const auto type = typeOf(graph, registry, end);
    if (!type)
        return partners;
    // An output may not feed what it comes from, an input not come from what it feeds.
    const std::set<NodeId> barred = reached(graph, end.port.node, !end.isOutput, moved);
    for (const auto& [id, node] : graph.nodes) {
        if (barred.contains(id))
            continue;
        const NodePorts ports = portsOf(*node, registry);
        for (const PortSpec& port : side(ports, !end.isOutput))
            if (port.type == *type)
                partners.insert({id, port.name});
    }
    return partners;
}

std::optional<Diagnostic> wireFault(const Graph& graph, const BlockRegistry& registry, const Wire& wire)
{
    const auto wired = edits::connect(wire).apply(graph);
    if (!wired) {
        Diagnostic fault;
        fault.sentence = wired.error().text();
        return fault;
    }
    const bool circular = reached(graph, wire.to.node, true, nullptr).contains(wire.from.node);
    const CheckedGraph checked = check(*wired, registry, {});
    for (const Diagnostic& diagnostic : checked.diagnostics) {
        if (!forbids(diagnostic, wire, circular))
            continue;
        Diagnostic fault = diagnostic;
        if (fault.code == "cycle")
            fault.fix.reset(); // it takes a wire away: better not to make this one
        if (fault.fix)
            fault.fix->edit = edits::sequence(fault.fix->title, {edits::connect(wire), fault.fix->edit});
        return fault;
    }
    return std::nullopt;
}

Wire wireBetween(const WireEnd& end, const PortRef& partner)
{
    return end.isOutput ? Wire{end.port, partner} : Wire{partner, end.port};
}

} // namespace unroll
