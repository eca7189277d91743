// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace unroll {

/// Points a chart may draw, shared fairly by its series: who wants less than an equal share gets it all, and what it
/// leaves goes to the others. Each gets at least 4, the least that still draws a curve, or what it wants.
std::vector<std::size_t> shareBudget(const std::vector<std::size_t>& wanted, std::size_t budget);

} // namespace unroll
