// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <QMenu>

namespace unroll {

class GraphScene;
struct WireEnd;

/// Possible connections of a node, for keyboard use: a menu per port, an entry per compatible port, ticked if wired. A
/// ticked entry removes its wire. Filled for the current graph.
/// Inside a group there is an entry for each port that makes it a port of the group.
void fillConnectMenu(QMenu& menu, GraphScene& scene, NodeId node);

/// What can be done with one port, on top of a menu: its wires broken; inside a group, made a port of that or taken
/// back.
void addPortEntries(QMenu& menu, GraphScene& scene, const WireEnd& end);

} // namespace unroll
