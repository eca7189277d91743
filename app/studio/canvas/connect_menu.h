// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <QMenu>

namespace unroll {

class GraphScene;
struct WireEnd;

/// What the wires of a node may join, for hands that have no mouse: a menu a port, an entry a port that fits, ticked where the wire is. An
/// entry that is ticked takes its wire away. Filled for the graph as it stands.
/// Inside a group there is an entry for each port that makes it a port of the group.
void fillConnectMenu(QMenu& menu, GraphScene& scene, NodeId node);

/// What can be done with one port, on top of a menu: its wires broken; inside a group, made a port of that or taken back.
void addPortEntries(QMenu& menu, GraphScene& scene, const WireEnd& end);

} // namespace unroll
