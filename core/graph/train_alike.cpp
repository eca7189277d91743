// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/train_alike.h"

#include <algorithm>

namespace unroll {

namespace {

bool trainsAlike(const Group& a, const Group& b)
{
    return a.repeat == b.repeat && a.sharedWeights == b.sharedWeights && a.reversible == b.reversible &&
           a.inputs == b.inputs && a.outputs == b.outputs && a.params == b.params &&
           unroll::trainsAlike(*a.graph, *b.graph);
}

} // namespace

bool trainsAlike(const Node& a, const Node& b)
{
    if (a.block != b.block || a.name != b.name || a.params != b.params)
        return false;
    return a.group == b.group || (a.group && b.group && trainsAlike(*a.group, *b.group));
}

bool trainsAlike(const Graph& a, const Graph& b)
{
    const auto same = [](const auto& left, const auto& right) {
        return left.first == right.first && (left.second == right.second || trainsAlike(*left.second, *right.second));
    };
    return a.wires == b.wires && a.nodes.size() == b.nodes.size() &&
           std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), same);
}

} // namespace unroll
