// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/watchable.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

/// A node with signals, where it stands in the document. Its copies are those of the groups around it.
struct WatchablePlace {
    std::vector<const Node*> groups; ///< from the top
    const Node* node;
    const BlockSpec* spec;
};

void collect(const Graph& graph, const BlockRegistry& registry, std::vector<const Node*>& around,
             std::vector<WatchablePlace>& places)
{
    for (const auto& [id, node] : graph.nodes) {
        if (node->group && node->group->repeat > 0) {
            around.push_back(node.get());
            collect(*node->group->graph, registry, around, places);
            around.pop_back();
        }
        const BlockSpec* spec = registry.find(node->block);
        if (!node->group && spec != nullptr && !spec->signalSpecs.empty())
            places.push_back({around, node.get(), spec});
    }
}

/// How many copies there are, or one more than `most`.
std::int64_t copiesOf(const WatchablePlace& place, std::int64_t most)
{
    std::int64_t copies = 1;
    for (const Node* group : place.groups) {
        if (group->group->repeat > most / copies)
            return most + 1;
        copies *= group->group->repeat;
    }
    return copies;
}

/// Copies are counted from 0, those of the innermost group first.
WatchableNode copyOf(const WatchablePlace& place, std::int64_t copy)
{
    WatchableNode node{place.node->name, place.node->name, place.spec};
    for (auto group = place.groups.rbegin(); group != place.groups.rend(); ++group) {
        const std::int64_t copies = (*group)->group->repeat;
        const std::string number = copies > 1 ? fmt::format(".{}", copy % copies + 1) : std::string();
        node.path = (*group)->name + number + "." + node.path;
        node.place = (*group)->name + "." + node.place;
        copy /= copies;
    }
    return node;
}

} // namespace

WatchableNodes watchableNodes(const Graph& graph, const BlockRegistry& registry, std::size_t most)
{
    std::vector<WatchablePlace> places;
    std::vector<const Node*> around;
    collect(graph, registry, around, places);
    std::stable_partition(places.begin(), places.end(),
                          [](const WatchablePlace& place) { return place.spec->recurrent; });
    const auto each =
        static_cast<std::int64_t>(std::max<std::size_t>(1, most / std::max<std::size_t>(1, places.size())));
    WatchableNodes result;
    for (const WatchablePlace& place : places) {
        const std::int64_t copies = copiesOf(place, each);
        result.allCopies = result.allCopies && copies <= each;
        for (std::int64_t copy = 0; copy < std::min(copies, each); ++copy)
            result.nodes.push_back(copyOf(place, copy));
    }
    return result;
}

} // namespace unroll
