// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/graph/graph.h"

#include <functional>
#include <string>

namespace unroll {

/// The graph with its relative data paths, also inside groups, written so that they name the same files when looked up
/// in folder `to` as they did in `from`. Absolute paths and blocks that are not known stay. Where the two places share
/// nothing but the root, a path becomes absolute. Links in the folders are followed, the last name is not; the files
/// need not be there. The two folders may be relative to the working directory.
Graph moveDataPaths(const Graph& graph, const BlockRegistry& registry, const std::string& from, const std::string& to);

/// The graph with every data path that is not empty, also inside groups, as `change` has it.
Graph changeDataPaths(const Graph& graph, const BlockRegistry& registry,
                      const std::function<std::string(const std::string& path)>& change);

} // namespace unroll
