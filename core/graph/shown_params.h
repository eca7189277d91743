// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/edit.h"

#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// A group that shows a parameter of a node inside it as one of its own.
struct ShownParam {
    GroupPath path; ///< of the graph that the group stands in
    NodeId group = 0;
    PromotedParam param;             ///< the group's name for it, and what it stands for
    std::optional<ParamValue> value; ///< that the group node has for it
};

/// The groups around the graph at `path` that show this parameter of a node in it, from the innermost outwards.
std::vector<ShownParam> shownParams(const Graph& top, const GroupPath& path, NodeId node, const std::string& param);

/// The group whose value counts in place of the node's own: the outermost that has one. Nothing: the node's own counts.
std::optional<ShownParam> setterOf(const Graph& top, const GroupPath& path, NodeId node, const std::string& param);

/// The node's parameters with the values that count.
Params paramsInForce(const Graph& top, const GroupPath& path, const Node& node);

/// The repeated group whose copies are counted where values of the node, in the graph at `path`, differ by copy: the
/// node itself where it is one, else the innermost around it; nullptr: there is none.
const Group* countedGroup(const Graph& top, const GroupPath& path, const Node& node);

/// The names of the groups on the path, dots between: "encoder.body".
std::string groupNames(const Graph& top, const GroupPath& path);

namespace edits {

// Of the top graph; the path is that of the graph that the node stands in.

/// The group around shows the parameter, under its own name or, where that is taken, with the node's before it.
GraphEdit showParam(GroupPath path, NodeId node, std::string param);
/// The group around shows it no more, nor do groups further out through that one. The value that counted becomes the
/// node's.
GraphEdit takeBackParam(GroupPath path, NodeId node, std::string param);

} // namespace edits

} // namespace unroll
