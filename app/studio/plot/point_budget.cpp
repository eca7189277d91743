// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/point_budget.h"

#include <algorithm>
#include <numeric>

namespace unroll {

std::vector<std::size_t> shareBudget(const std::vector<std::size_t>& wanted, std::size_t budget)
{
    std::vector<std::size_t> modestFirst(wanted.size());
    std::iota(modestFirst.begin(), modestFirst.end(), std::size_t{0});
    std::sort(modestFirst.begin(), modestFirst.end(),
              [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    std::vector<std::size_t> given(wanted.size());
    std::size_t waiting = wanted.size();
    for (const std::size_t i : modestFirst) {
        const std::size_t share = std::max<std::size_t>(4, budget / waiting--);
        given[i] = std::min(wanted[i], share);
        budget -= std::min(budget, given[i]);
    }
    return given;
}

} // namespace unroll
