// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/edit.h"

#include <algorithm>
#include <iterator>

namespace unroll {

namespace {

bool same(const std::shared_ptr<const Node>& a, const std::shared_ptr<const Node>& b)
{
    return a == b || *a == *b;
}
bool same(const Frame& a, const Frame& b)
{
    return a == b;
}

/// Walks two maps side by side.
template <class Map, class Ids>
void compare(const Map& before, const Map& after, Ids& added, Ids& removed, Ids& changed)
{
    auto old = before.begin();
    auto now = after.begin();
    while (old != before.end() || now != after.end()) {
        if (now == after.end() || (old != before.end() && old->first < now->first)) {
            removed.push_back((old++)->first);
        } else if (old == before.end() || now->first < old->first) {
            added.push_back((now++)->first);
        } else {
            if (!same(old->second, now->second))
                changed.push_back(now->first);
            ++old;
            ++now;
        }
    }
}

} // namespace

bool GraphDiff::empty() const
{
    return added.empty() && removed.empty() && changed.empty() && wiresAdded.empty() && wiresRemoved.empty() &&
           framesAdded.empty() && framesRemoved.empty() && framesChanged.empty();
}

const GraphDiff& GraphDiff::at(const GroupPath& path) const
{
    static const GraphDiff none;
    const GraphDiff* change = this;
    for (const NodeId group : path) {
        const auto found = std::find_if(change->inside.begin(), change->inside.end(),
                                        [group](const Inside& each) { return each.group == group; });
        if (found == change->inside.end())
            return none;
        change = &found->change;
    }
    return *change;
}

GraphDiff diff(const Graph& before, const Graph& after)
{
    GraphDiff result;
    compare(before.nodes, after.nodes, result.added, result.removed, result.changed);
    compare(before.frames, after.frames, result.framesAdded, result.framesRemoved, result.framesChanged);
    std::set_difference(after.wires.begin(), after.wires.end(), before.wires.begin(), before.wires.end(),
                        std::back_inserter(result.wiresAdded), wireBefore);
    std::set_difference(before.wires.begin(), before.wires.end(), after.wires.begin(), after.wires.end(),
                        std::back_inserter(result.wiresRemoved), wireBefore);
    for (const NodeId id : result.changed) {
        const Node &old = *before.find(id), &now = *after.find(id);
        if (!old.group || !now.group || old.group->graph == now.group->graph)
            continue;
        if (GraphDiff change = diff(*old.group->graph, *now.group->graph); !change.empty())
            result.inside.push_back({id, std::move(change)});
    }
    return result;
}

} // namespace unroll
