// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/watchable.h"

#include <algorithm>
#include <charconv>
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
    for (const Node* group : place.groups)
        node.ids.push_back(group->id);
    node.ids.push_back(place.node->id);
    const Params params = place.spec->withDefaults(place.node->params);
    for (const SignalSpec& signal : place.spec->signalSpecs)
        node.looks.push_back(signal.lookOf(params));
    for (auto group = place.groups.rbegin(); group != place.groups.rend(); ++group) {
        const std::int64_t copies = (*group)->group->repeat;
        const std::string number = copies > 1 ? fmt::format(".{}", copy % copies + 1) : std::string();
        node.path = (*group)->name + number + "." + node.path;
        node.place = (*group)->name + "." + node.place;
        copy /= copies;
    }
    return node;
}

/// Takes the first name off a path: "body" of "body.2.lstm".
std::string takeName(std::string& path)
{
    const std::size_t dot = path.find('.');
    std::string name = path.substr(0, dot);
    path.erase(0, dot == std::string::npos ? dot : dot + 1);
    return name;
}

/// The number of a copy at the front of a path, taken off it; 1 where there is none.
std::int64_t takeCopy(std::string& path)
{
    if (path.empty() || path.front() < '0' || path.front() > '9') // no name begins so
        return 1;
    const std::string number = takeName(path);
    std::int64_t copy = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), copy);
    return parsed.ec == std::errc() && parsed.ptr == number.data() + number.size() ? copy : 0;
}

} // namespace

const BlockSpec* watchableAt(const Graph& graph, const BlockRegistry& registry, const std::string& path)
{
    std::string rest = path;
    const Graph* level = &graph;
    while (const Node* node = level->findByName(takeName(rest))) {
        if (!node->group) {
            const BlockSpec* spec = registry.find(node->block);
            return rest.empty() && spec != nullptr && !spec->signalSpecs.empty() ? spec : nullptr;
        }
        const std::int64_t copy = takeCopy(rest);
        if (copy < 1 || copy > node->group->repeat)
            return nullptr;
        level = node->group->graph.get();
    }
    return nullptr;
}

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
