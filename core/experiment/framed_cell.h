// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/experiment/experiment.h"

#include <string>

namespace unroll {

/// The experiment with the cell at `node` (a path, "body.mamba") between two new Linear nodes beside it: what its input
/// x had goes through NODE_in to `width` features, the cell reads those, and NODE_out leads its output y back to
/// `outside` features for all that read it. A cell with a width of its own, `widthParam` (empty: none), gets `width`
/// too. Other wires stay at the cell; in a group its promoted ports x and y move to the Linear nodes.
Result<Experiment> withFramedCell(const Experiment& experiment, const BlockRegistry& registry, const std::string& node,
                                  const std::string& widthParam, std::int64_t width, std::int64_t outside);

} // namespace unroll
