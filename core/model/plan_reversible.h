// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Inside of makePlan: reversible groups.

#include "core/model/plan.h"

#include <map>
#include <vector>

namespace unroll {

/// Of a copy whose steps are the last of the plan, nodes in `order` beginning at `firstStep`: puts them in the order F,
/// its sum, G, its sum, and says where they are. Loops and groups among them move along.
ReversibleCopy layReversible(Plan& plan, const ReversibleForm& form, const std::vector<NodeId>& order,
                             const std::map<NodeId, std::size_t>& firstStep);

/// As Plan::reversibles says.
void sortReversibles(Plan& plan);

} // namespace unroll
