// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <QMenu>

namespace unroll {

class GraphScene;

/// What the wires of a node may join, for hands that have no mouse: a menu a port, an entry a port that fits, ticked where the wire is. An
/// entry that is ticked takes its wire away. Filled for the graph as it stands.
void fillConnectMenu(QMenu& menu, GraphScene& scene, NodeId node);

} // namespace unroll
