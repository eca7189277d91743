// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/graph/graph.h"

#include <QPixmap>
#include <QSize>

namespace unroll {

class Theme;

/// A thumbnail of a graph, recognisable but not readable: its nodes by category, its wires by what they carry. Gaps
/// between nodes are evened out, so that a long chain fills the picture as a short one does. `size` in units; sharp on
/// a screen with `ratio` pixels a unit.
QPixmap graphPicture(const Graph& graph, const BlockRegistry& registry, const Theme& theme, const QSize& size,
                     double ratio);

} // namespace unroll
