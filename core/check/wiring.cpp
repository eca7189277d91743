// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/wiring.h"

#include "core/check/check.h"
#include "core/check/ports.h"
#include "core/graph/names.h"
#include "core/graph/reach.h"

#include <algorithm>

namespace unroll {

namespace {

const std::vector<PortSpec>& side(const NodePorts& ports, bool outputs)
{
    return outputs ? ports.outputs : ports.inputs;
}

/// The port as its block, or its group, has it.
std::optional<PortSpec> declaredPort(const Graph& graph, const BlockRegistry& registry, const WireEnd& end)
{
    const Node* node = graph.find(end.port.node);
    if (node == nullptr)
        return std::nullopt;
    const NodePorts ports = portsOf(*node, registry);
    for (const PortSpec& port : side(ports, end.isOutput))
        if (port.name == end.port.port)
            return port;
    return std::nullopt;
}

/// Whether what comes to the input is needed when the step is over, so that a loop may close there.
bool isDelayed(const Graph& graph, const BlockRegistry& registry, const PortRef& input)
{
    const Node* node = graph.find(input.node);
    const BlockSpec* block = node == nullptr || node->group ? nullptr : registry.find(node->block);
    const PortSpec* port = block == nullptr ? nullptr : block->input(input.port);
    return port != nullptr && port->delayed;
}

/// The nodes that a step of `start` waits for, or that wait for it (along the wires); with itself.
std::set<NodeId> reached(const Graph& graph, const BlockRegistry& registry, NodeId start, bool along,
                         const Wire* without)
{
    std::multimap<NodeId, NodeId> steps;
    for (const Wire& wire : graph.wires)
        if ((without == nullptr || wire != *without) && !isDelayed(graph, registry, wire.to))
            steps.insert(along ? std::pair(wire.from.node, wire.to.node) : std::pair(wire.to.node, wire.from.node));
    return reachedFrom(start, steps);
}

bool forbids(const Diagnostic& diagnostic, const Wire& wire, bool circular)
{
    if (diagnostic.code == "type-mismatch")
        return diagnostic.node == wire.to.node && diagnostic.where == wire.to.port;
    return circular && diagnostic.code == "cycle"; // there may be others, which are not this wire's
}

/// A delay in the wire, where it carries a sequence; else nothing is better than to leave the wire out.
std::optional<Fix> delayedWire(const Graph& graph, const BlockRegistry& registry, const Wire& wire)
{
    const auto delay = findDelay(registry);
    if (!delay || typeOf(graph, registry, {wire.from, true}) != PortType::Sequence)
        return std::nullopt;
    return Fix{"Insert " + delay->spec->title, insertedOn(*delay, graph, wire)};
}

} // namespace

std::optional<PortType> typeOf(const Graph& graph, const BlockRegistry& registry, const WireEnd& end)
{
    const auto port = declaredPort(graph, registry, end);
    return port ? std::optional(port->type) : std::nullopt;
}

namespace {

/// What an output carries as the graph stands: a vector where its node runs on vectors.
PortSpec asGiven(const Graph& graph, const CheckedGraph& checked, const PortRef& output, PortSpec port)
{
    const Node* node = graph.find(output.node);
    const auto found = checked.nodes.find(output.node);
    if (!port.orVector || found == checked.nodes.end())
        return port;
    if (node->group && found->second.inner) {
        const PromotedPort* promoted = findPort(node->group->outputs, output.port);
        return asGiven(*node->group->graph, *found->second.inner, promoted->inner, std::move(port));
    }
    port.orVector = false;
    if (found->second.onVectors)
        port.type = PortType::Vector;
    return port;
}

std::optional<PortSpec> portAt(const Graph& graph, const BlockRegistry& registry, const CheckedGraph& checked,
                               const WireEnd& end)
{
    const auto port = declaredPort(graph, registry, end);
    return port && end.isOutput ? asGiven(graph, checked, end.port, *port) : port;
}

} // namespace

std::set<PortRef> wirePartners(const Graph& graph, const BlockRegistry& registry, const WireEnd& end, const Wire* moved)
{
    std::set<PortRef> partners;
    const CheckedGraph checked = check(graph, registry, {});
    const auto own = portAt(graph, registry, checked, end);
    if (!own)
        return partners;
    const auto joins = [&](const PortRef& at, const PortSpec& port) {
        return end.isOutput ? mayJoin(*own, port) : mayJoin(asGiven(graph, checked, at, port), *own);
    };
    // An output may not feed what it comes from, an input not come from what it feeds.
    // Unless it is needed only when the step is over.
    const std::set<NodeId> barred = reached(graph, registry, end.port.node, !end.isOutput, moved);
    const bool open = !end.isOutput && isDelayed(graph, registry, end.port);
    for (const auto& [id, node] : graph.nodes) {
        const NodePorts ports = portsOf(*node, registry);
        for (const PortSpec& port : side(ports, !end.isOutput))
            if ((open || port.delayed || !barred.contains(id)) && joins({id, port.name}, port))
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
    const bool circular = !isDelayed(graph, registry, wire.to) &&
                          reached(graph, registry, wire.to.node, true, nullptr).contains(wire.from.node);
    const CheckedGraph checked = check(*wired, registry, {});
    for (const Diagnostic& diagnostic : checked.diagnostics) {
        if (!forbids(diagnostic, wire, circular))
            continue;
        Diagnostic fault = diagnostic;
        if (fault.code == "cycle")
            fault.fix = delayedWire(graph, registry, wire);
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
