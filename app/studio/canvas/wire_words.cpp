// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/wire_words.h"

#include "app/studio/canvas/node_item.h"
#include "app/studio/canvas/wire_item.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace unroll {

namespace {

constexpr double kApart = 3; ///< scene units between words and what they must not cover

/// Along the wire from its middle to its ends, on it first, then above and below.
std::optional<QRectF> freePlace(const WireItem& wire, const std::vector<QRectF>& taken)
{
    const QSizeF size = wire.wordsSize();
    const auto isFree = [&](const QRectF& place) {
        const QRectF around = place.adjusted(-kApart, -kApart, kApart, kApart);
        return std::none_of(taken.begin(), taken.end(), [&](const QRectF& each) { return each.intersects(around); });
    };
    for (const double lift : {0.0, -1.0, 1.0, -2.0, 2.0})
        for (const double share : {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82}) {
            QRectF place(QPointF(), size);
            place.moveCenter(wire.pointAt(share) + QPointF(0, lift * (size.height() / 2 + kApart)));
            if (isFree(place))
                return place;
        }
    return std::nullopt;
}

/// "body.2." for each copy of the groups on the way to the level; `graph` becomes the graph there.
std::vector<std::string> prefixesOf(const Graph*& graph, const GroupPath& level, std::size_t most)
{
    std::vector<std::string> prefixes{{}};
    for (const NodeId id : level) {
        const Node* node = graph->find(id);
        if (node == nullptr || !node->group)
            return {};
        std::vector<std::string> within;
        for (const std::string& prefix : prefixes)
            for (std::int64_t copy = 1; copy <= node->group->repeat && within.size() < most; ++copy)
                within.push_back(prefix + node->name +
                                 (node->group->repeat > 1 ? "." + std::to_string(copy) + "." : std::string(".")));
        prefixes = std::move(within);
        graph = node->group->graph.get();
    }
    return prefixes;
}

} // namespace

void writeWords(const std::map<Wire, WireItem*>& wires, const std::map<NodeId, NodeItem*>& nodes,
                const std::map<PortRef, WireWords>& words, double size)
{
    std::vector<QRectF> taken;
    if (!words.empty())
        for (const auto& [id, item] : nodes)
            taken.push_back(item->sceneBoundingRect());
    for (const auto& [wire, item] : wires) {
        const auto found = words.find(wire.from);
        if (found == words.end()) {
            item->setWords({}, {}, false, 1);
            continue;
        }
        item->setWords(found->second.text, found->second.tip, found->second.pale, size);
        item->setWordsPlace(freePlace(*item, taken).value_or(QRectF()));
        if (!item->wordsPlace().isEmpty())
            taken.push_back(item->wordsPlace());
    }
}

double wordsSizeAt(double zoom)
{
    constexpr double most = 2.5, part = 0.25; // few different ones: a zoom need not place them again
    return std::clamp(std::ceil(1 / (zoom * part)) * part, 1.0, most);
}

std::vector<OutputPlace> outputPlaces(const Graph& top, const GroupPath& level, const PortRef& output, std::size_t most)
{
    const Graph* graph = &top;
    const std::vector<std::string> prefixes = prefixesOf(graph, level, most);
    std::string within;
    PortRef place = output;
    const Node* node = graph->find(place.node);
    while (node != nullptr && node->group) {
        const Group& group = *node->group;
        const auto port = std::find_if(group.outputs.begin(), group.outputs.end(),
                                       [&](const PromotedPort& each) { return each.name == place.port; });
        if (port == group.outputs.end())
            return {};
        within += node->name + (group.repeat > 1 ? "." + std::to_string(group.repeat) + "." : std::string("."));
        place = port->inner;
        node = group.graph->find(place.node);
    }
    std::vector<OutputPlace> places;
    if (node != nullptr)
        for (const std::string& prefix : prefixes)
            places.push_back({prefix + within + node->name, place.port});
    return places;
}

} // namespace unroll
