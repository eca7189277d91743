// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/port_edits.h"

#include "app/studio/canvas/graph_scene.h"
#include "core/graph/names.h"

#include <algorithm>
#include <utility>

namespace unroll {

namespace {

/// The port's own name where no other port of the group's side has it.
std::string freePortName(const Group& group, const WireEnd& end)
{
    const auto& ports = end.isOutput ? group.outputs : group.inputs;
    const std::string wish = isValidName(end.port.port) ? end.port.port : validNameFrom(end.port.port, "port");
    return freeNameAmong(wish, [&](const std::string& name) { return findPort(ports, name) != nullptr; });
}

} // namespace

void breakWires(GraphScene& scene, const WireEnd& end)
{
    std::vector<GraphEdit> cuts;
    for (const Wire& wire : scene.shown().wires)
        if ((end.isOutput ? wire.from : wire.to) == end.port)
            cuts.push_back(edits::disconnect(wire));
    if (!cuts.empty())
        scene.apply(edits::sequence("Disconnect", std::move(cuts)));
}

bool isPromoted(const GraphScene& scene, const WireEnd& end)
{
    const Group* around = scene.level().around();
    if (around == nullptr)
        return false;
    const auto& ports = end.isOutput ? around->outputs : around->inputs;
    return std::any_of(ports.begin(), ports.end(), [&](const PromotedPort& port) { return port.inner == end.port; });
}

void setPromoted(GraphScene& scene, const WireEnd& end, bool promoted)
{
    const Group* around = scene.level().around();
    if (around == nullptr || promoted == isPromoted(scene, end))
        return;
    const GroupPath above(scene.path().begin(), scene.path().end() - 1);
    const NodeId group = scene.path().back();
    const auto& ports = end.isOutput ? around->outputs : around->inputs;
    std::vector<GraphEdit> parts;
    if (promoted) {
        if (const Wire* wire = end.isOutput ? nullptr : scene.shown().wireInto(end.port))
            parts.push_back(edits::inside(scene.path(), edits::disconnect(*wire)));
        const std::string name = freePortName(*around, end);
        parts.push_back(edits::inside(above, end.isOutput ? edits::promoteOutput(group, {name, end.port})
                                                          : edits::promoteInput(group, {name, end.port})));
    } else {
        for (const PromotedPort& port : ports)
            if (port.inner == end.port)
                parts.push_back(edits::inside(above, end.isOutput ? edits::demoteOutput(group, port)
                                                                  : edits::demoteInput(group, port)));
    }
    const std::string name = parts.back().name;
    scene.document().apply(edits::sequence(name, std::move(parts)));
}

} // namespace unroll
