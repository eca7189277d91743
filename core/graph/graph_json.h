// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/graph/graph.h"

namespace unroll {

/// {"nodes": [...], "wires": [...], "frames": [...], "next_id": n}. Stable: equal graphs give equal text.
/// A node: {"id", "block", "name", "at": [x, y], "params": {...}, "group": {...}} plus members kept from a newer
/// version. A wire: "embedding.y -> lstm.x" (node names; they are unique in a graph).
Json graphToJson(const Graph& graph);

/// Errors name the byte offset and the member. Unknown blocks are kept as they stand (see Node::extra); limits: 100,000
/// nodes, groups nested 16 deep.
Result<Graph> graphFromJson(const Json& json, const std::string& source);

} // namespace unroll
