// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_places.h"

#include "core/graph/shown_params.h"

#include <algorithm>
#include <map>
#include <optional>
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

/// The ports of a group as those of a block; of other nodes their block's.
class PortsOf {
public:
    explicit PortsOf(const BlockRegistry& registry) : m_registry(registry) {}

    /// A group's spec has its ports alone. Nothing: the block is not known.
    std::optional<BlockSpec> operator()(const Node& node) const
    {
        const BlockSpec* known = m_registry.find(node.block);
        if (known == nullptr)
            return {};
        if (!node.group)
            return *known;
        BlockSpec spec;
        spec.id = known->id;
        for (const PromotedPort& port : node.group->inputs)
            if (auto found = inner(*node.group, port, &BlockSpec::inputs))
                spec.inputs.push_back(std::move(*found));
        for (const PromotedPort& port : node.group->outputs)
            if (auto found = inner(*node.group, port, &BlockSpec::outputs))
                spec.outputs.push_back(std::move(*found));
        return spec;
    }

private:
    std::optional<PortSpec> inner(const Group& group, const PromotedPort& port,
                                  std::vector<PortSpec> BlockSpec::*side) const
    {
        const Node* node = group.graph->find(port.inner.node);
        const auto spec = node != nullptr ? (*this)(*node) : std::nullopt;
        const PortSpec* found = spec ? portOf((*spec).*side, port.inner.port) : nullptr;
        if (found == nullptr)
            return {};
        PortSpec outer = *found;
        outer.name = port.name;
        return outer;
    }

    const BlockRegistry& m_registry;
};

RaceChoice choiceOf(const BlockSpec& spec)
{
    return {&spec, spec.id, spec.title, spec.summary};
}

class PlaceSearch {
public:
    PlaceSearch(const Graph& top, const BlockRegistry& registry) : m_top(top), m_registry(registry), m_portsOf(registry)
    {}

    void add(const Graph& graph, const Group* around, const std::string& prefix, const Node& node)
    {
        const std::string path = prefix.empty() ? node.name : prefix + '.' + node.name;
        const HeldPorts held = heldPorts(graph, around, node.id);
        if (node.group) {
            const std::size_t at = m_places.size();
            for (const auto& [id, inner] : node.group->graph->nodes)
                add(*node.group->graph, node.group.get(), path, *inner);
            addGroup(at, path, node, held);
            return;
        }
        const BlockSpec* spec = m_registry.find(node.block);
        if (spec == nullptr || !takesPlaceOf(*spec, *spec, held))
            return;
        RacePlace place{path, spec, false, {}};
        for (const BlockSpec* other : m_registry.all())
            if (other != spec && takesPlaceOf(*spec, *other, held))
                place.choices.push_back(choiceOf(*other));
        if (place.choices.empty())
            return;
        std::stable_partition(place.choices.begin(), place.choices.end(),
                              [&](const RaceChoice& other) { return other.spec->category == spec->category; });
        place.choices.insert(place.choices.begin(), choiceOf(*spec));
        m_places.push_back(std::move(place));
    }

    std::vector<RacePlace> take()
    {
        std::stable_partition(m_places.begin(), m_places.end(),
                              [](const RacePlace& place) { return place.isGroup || place.spec->recurrent; });
        return std::move(m_places);
    }

private:
    /// Before the places of its nodes, which stand from `at` on.
    void addGroup(std::size_t at, const std::string& path, const Node& node, const HeldPorts& held)
    {
        const BlockSpec& own = *m_registry.find(node.block);
        RacePlace place{path, &own, true, {{&own, own.id, node.name, "The group as it is."}}};
        const std::vector<RacePlace> inside(m_places.begin() + static_cast<std::ptrdiff_t>(at), m_places.end());
        for (const RacePlace& inner : inside)
            if (!inner.isGroup)
                place.inside.push_back(inner.path.substr(path.size() + 1));
        addOtherCells(place, node, inside);
        const auto ports = m_portsOf(node);
        addOtherGroups(place, *ports, held, m_top, "");
        const std::size_t blocks = place.choices.size();
        for (const BlockSpec* other : m_registry.all())
            if (takesPlaceOf(*ports, *other, held))
                place.choices.push_back({other, other->id, other->title + " alone",
                                         other->title + " in place of the whole group. " + other->summary});
        std::stable_partition(place.choices.begin() + static_cast<std::ptrdiff_t>(blocks), place.choices.end(),
                              [](const RaceChoice& choice) { return choice.spec->category == Category::Recurrent; });
        if (place.choices.size() > 1 || !place.inside.empty())
            m_places.insert(m_places.begin() + static_cast<std::ptrdiff_t>(at), std::move(place));
    }

    /// The group with another cell, in place of all those of the kind that it has most of.
    static void addOtherCells(RacePlace& place, const Node& node, const std::vector<RacePlace>& inside)
    {
        std::map<const BlockSpec*, std::vector<const RacePlace*>> cells;
        for (const RacePlace& inner : inside)
            if (!inner.isGroup && inner.spec->category == Category::Recurrent)
                cells[inner.spec].push_back(&inner);
        const auto most = std::max_element(cells.begin(), cells.end(), [](const auto& a, const auto& b) {
            return a.second.size() < b.second.size() ||
                   (a.second.size() == b.second.size() && a.first->title > b.first->title);
        });
        if (most == cells.end())
            return;
        const auto& places = most->second;
        for (const RaceChoice& other : places.front()->choices) {
            const auto hasOther = [&](const RacePlace* each) {
                return std::any_of(each->choices.begin(), each->choices.end(),
                                   [&](const RaceChoice& choice) { return choice.spec == other.spec; });
            };
            if (other.spec == most->first || other.spec->category != Category::Recurrent ||
                !std::all_of(places.begin(), places.end(), hasOther))
                continue;
            std::string word = "group", names;
            for (const RacePlace* each : places) {
                const std::string name = each->path.substr(place.path.size() + 1);
                word += ":" + name + "=" + other.word;
                names += (names.empty() ? "" : ", ") + name;
            }
            place.choices.push_back({other.spec, word, node.name + " with " + other.title,
                                     "The group with " + other.title + " in place of " + names + "."});
        }
    }

    void addOtherGroups(RacePlace& place, const BlockSpec& own, const HeldPorts& held, const Graph& graph,
                        const std::string& prefix) const
    {
        for (const auto& [id, node] : graph.nodes) {
            const std::string path = prefix + node->name;
            if (!node->group)
                continue;
            auto ports = m_portsOf(*node);
            if (path != place.path && !place.path.starts_with(path + ".") && ports && takesPlaceOf(own, *ports, held))
                place.choices.push_back({m_registry.find(node->block), "@" + path, path, "A copy of that group."});
            addOtherGroups(place, own, held, *node->group->graph, path + ".");
        }
    }

    const Graph& m_top;
    const BlockRegistry& m_registry;
    PortsOf m_portsOf;
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
    PlaceSearch search(top, registry);
    search.add(*graph, around, groupNames(top, path), *node);
    return search.take();
}

} // namespace unroll
