// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/wiring.h"

namespace unroll {

class GraphScene;

void breakWires(GraphScene& scene, const WireEnd& end); ///< every wire at this port

/// Whether the group around the graph shown has the port outside.
bool isPromoted(const GraphScene& scene, const WireEnd& end);
/// Has it show it, in place of the wire that an input has, or no more. Does nothing at the top.
void setPromoted(GraphScene& scene, const WireEnd& end, bool promoted);

} // namespace unroll
