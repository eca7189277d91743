// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/frame_item.h"
#include "core/check/wiring.h"

#include <functional>
#include <optional>

namespace unroll {

class GraphScene;
class NodeItem;
class WireItem;

// What of a scene lies at a place. `at` and `reach` in scene units.

NodeItem* nodeAt(const GraphScene& scene, const QPointF& at); ///< the uppermost; nullptr: none

/// The nearest port within `reach` that `fits`; every port fits where that is empty.
std::optional<WireEnd> portAt(const GraphScene& scene, const QPointF& at, double reach,
                              const std::function<bool(const WireEnd&)>& fits = {});

WireItem* wireAt(const GraphScene& scene, const QPointF& at, double reach); ///< nullptr: none

/// Of the smallest comment that can be taken hold of there.
std::optional<FrameGrip> gripAt(const GraphScene& scene, const QPointF& at, double reach);

} // namespace unroll
