// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_places.h"

#include "core/graph/shown_params.h"

#include <algorithm>
#include <set>

namespace unroll {

namespace {

using PortNames = std::set<std::string>;

/// The ports of a node that wires or the group around hold.
struct HeldPorts {
    PortNames inputs, outputs;
};

HeldPorts heldPorts(const Graph& graph, const Group* around, NodeId id)
{
    HeldPorts held;
    for (const Wire& wire : graph.wires) {
        if (wire.to.node == id)
            held.inputs.insert(wire.to.port);
        if (wire.from.node == id)
            held.outputs.insert(wire.from.port);
    }
    if (around == nullptr)
        return held;
    for (const PromotedPort& port : around->inputs)
        if (port.inner.node == id)
            held.inputs.insert(port.inner.port);
    for (const PromotedPort& port : around->outputs)
        if (port.inner.node == id)
            held.outputs.insert(port.inner.port);
    return held;
}

const PortSpec* portOf(const std::vector<PortSpec>& ports, const std::string& name)
{
    const auto found =
        std::find_if(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.name == name; });
    return found == ports.end() ? nullptr : &*found;
}

/// Every port that is held is there, with the same type.
bool hasPorts(const std::vector<PortSpec>& own, const std::vector<PortSpec>& others, const PortNames& held)
{
    return std::all_of(held.begin(), held.end(), [&](const std::string& name) {
        const PortSpec* here = portOf(own, name);
        const PortSpec* there = portOf(others, name);
        return here != nullptr && there != nullptr && here->type == there->type;
    });
}

bool takesPlaceOf(const BlockSpec& own, const BlockSpec& other, const HeldPorts& held)
{
    if (other.category == Category::Data || other.category == Category::Group || !other.lossUnit.empty())
        return false;
    const bool isFed = std::all_of(other.inputs.begin(), other.inputs.end(), [&](const PortSpec& port) {
        return port.optional || !port.when.empty() || held.inputs.contains(port.name);
    });
    return isFed && hasPorts(own.inputs, other.inputs, held.inputs) &&
           hasPorts(own.outputs, other.outputs, held.outputs);
}

class PlaceSearch {
public:
    explicit PlaceSearch(const BlockRegistry& registry) : m_registry(registry) {}

    void add(const Graph& graph, const Group* around, const std::string& prefix, const Node& node)
    {
        const std::string path = prefix.empty() ? node.name : prefix + '.' + node.name;
        if (node.group) {
            for (const auto& [id, inner] : node.group->graph->nodes)
                add(*node.group->graph, node.group.get(), path, *inner);
            return;
        }
        const BlockSpec* spec = m_registry.find(node.block);
        const HeldPorts held = heldPorts(graph, around, node.id);
        if (spec == nullptr || !takesPlaceOf(*spec, *spec, held))
            return;
        RacePlace place{path, spec, {}};
        for (const BlockSpec* other : m_registry.all())
            if (other != spec && takesPlaceOf(*spec, *other, held))
                place.blocks.push_back(other);
        if (place.blocks.empty())
            return;
        std::stable_partition(place.blocks.begin(), place.blocks.end(),
                              [&](const BlockSpec* other) { return other->category == spec->category; });
        place.blocks.insert(place.blocks.begin(), spec);
        m_places.push_back(std::move(place));
    }

    std::vector<RacePlace> take()
    {
        std::stable_partition(m_places.begin(), m_places.end(),
                              [](const RacePlace& place) { return place.spec->recurrent; });
        return std::move(m_places);
    }

private:
    const BlockRegistry& m_registry;
    std::vector<RacePlace> m_places;
};

} // namespace

std::vector<RacePlace> racePlaces(const Graph& top, const BlockRegistry& registry, const GroupPath& path, NodeId id)
{
    const Graph* graph = &top;
    const Group* around = nullptr;
    for (const NodeId step : path) {
        const Node* group = graph->find(step);
        if (group == nullptr || !group->group)
            return {};
        around = group->group.get();
        graph = around->graph.get();
    }
    const Node* node = graph->find(id);
    if (node == nullptr)
        return {};
    PlaceSearch search(registry);
    search.add(*graph, around, groupNames(top, path), *node);
    return search.take();
}

} // namespace unroll
