// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"

#include <string>

namespace unroll {

/// What the node gives at masked steps, its parameter masked_output; empty where no mask is wired, or where it has no
/// such choice.
std::string maskedOutput(const CheckedNode& checked);

/// Why a node cannot be run step by step, "Pool over time reads later steps too, so it has no single step"; empty: it
/// can.
std::string noSingleStep(const CheckedNode& checked);

/// The same of the first such node of a graph or of its groups, "mean: Pool over time ..."; empty: the model can.
std::string noSingleStep(const Graph& graph, const CheckedGraph& checked);

} // namespace unroll
