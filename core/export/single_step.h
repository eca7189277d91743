// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/masked_output.h"
#include "core/check/check.h"

#include <string>

namespace unroll {

/// What the node gives at masked steps; None where no mask is wired, too.
MaskedRule maskedRule(const CheckedNode& checked);

/// Why a node cannot be run step by step, "Pool over time reads later steps too, so it has no single step"; empty: it
/// can.
std::string noSingleStep(const CheckedNode& checked);

/// The same of the first such node of a graph or of its groups, "mean: Pool over time ..."; empty: the model can.
std::string noSingleStep(const Graph& graph, const CheckedGraph& checked);

} // namespace unroll
