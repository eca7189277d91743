// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/param_form.h"
#include "core/block/registry.h"
#include "core/graph/edit.h"
#include "core/graph/shown_params.h"

#include <set>
#include <string>

namespace unroll {

// What nodes have to do with groups: one around that shows and sets their parameters, and what a group shows of its
// own.

/// A value that the group sets in place of that of the node's own `param`, in words.
ParamElsewhere setByGroup(const Graph& top, const ShownParam& setter, const std::string& param);

/// Of a group that sets none: parameters of one name whose nodes have different values.
std::set<std::string> mixedParams(const Node& node, const BlockRegistry& registry);

/// The group at `path` shows what goes by this name no more, in one step. Of the top graph.
GraphEdit takeBackPromoted(const Graph& top, const GroupPath& path, NodeId group, edits::Promoted kind,
                           const std::string& name);

} // namespace unroll
