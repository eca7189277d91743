// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/reach.h"

namespace unroll {

std::set<NodeId> reachedFrom(NodeId start, const std::multimap<NodeId, NodeId>& steps)
{
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

} // namespace unroll
