// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/match_width.h"
#include "core/graph/edit.h"

namespace unroll {

// A whole group compared with what could stand in its place. A wish (BlockWish) there is
//   group                       the group as it is
//   group:cell=gru              another block for a node inside it
//   group:cell.units=64         a parameter of a node inside it, or of the group itself ("depth=2")
//   group:repeat=4              how often it is repeated
//   group:cell.units            the parameter that is solved
//   gru, gru:num_layers=2       one block in place of the whole group, with the same ports
//   @encoder, @encoder:...      a copy of another group of the experiment, by its path; with settings as above

/// Whether the wish is one of these: a group stands at `node`, or is to stand there.
bool isGroupWish(const Experiment& experiment, const std::string& node, const BlockWish& wish);

/// The experiment with the wished group or block at `node`, under the same name and wires, and its settings.
Result<Experiment> withGroupWish(const Experiment& experiment, const BlockRegistry& registry, const std::string& node,
                                 const BlockWish& wish);

/// Ids of the groups around the node at this path, which is there.
GroupPath groupsAround(const Graph& graph, const std::string& path);

/// As matchWidth, of a group at `node`: solves the parameter that the wish names; else one number that all widths
/// inside the group follow, in proportion; where the model does not run so, the widths that are equal, then each alone,
/// then how often the group is repeated. Settings of the wish stay.
Result<MatchedWidth> matchGroup(const Experiment& experiment, const BlockRegistry& registry,
                                const std::function<CheckedGraph(const Experiment&)>& check, const std::string& node,
                                const BlockWish& wish, MatchedSize size, double target,
                                double tolerance = kMatchTolerance);

/// What a lane of this wish is called: "body-gru" of "group:cell=gru" at "model.body", else the block.
std::string laneWord(const std::string& node, const BlockWish& wish);

} // namespace unroll
