// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_keys.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace unroll {

namespace {

constexpr std::int64_t kPage = 10;                                 ///< rows or steps at once
constexpr std::int64_t kAll = std::numeric_limits<int>::max() / 2; ///< more than there are

constexpr double kZoomByOneKey = 1.25;

} // namespace

std::optional<HeatMapMove> heatMapMove(const QKeyEvent& event)
{
    if (event.modifiers() & Qt::AltModifier)
        return std::nullopt;
    const bool far = event.modifiers() & Qt::ControlModifier;
    switch (event.key()) {
    case Qt::Key_Left: return HeatMapMove{far ? -kPage : -1, 0};
    case Qt::Key_Right: return HeatMapMove{far ? kPage : 1, 0};
    case Qt::Key_Up: return HeatMapMove{0, far ? -kPage : -1};
    case Qt::Key_Down: return HeatMapMove{0, far ? kPage : 1};
    case Qt::Key_PageUp: return HeatMapMove{0, -kPage};
    case Qt::Key_PageDown: return HeatMapMove{0, kPage};
    case Qt::Key_Home: return HeatMapMove{-kAll, 0};
    case Qt::Key_End: return HeatMapMove{kAll, 0};
    default: return std::nullopt;
    }
}

HeatMapCell cellAfter(const HeatMapMove& move, const HeatMapCell& from, bool isMarked, const HeatMapData& data)
{
    const bool moves = isMarked || std::abs(move.steps) == kAll;
    const std::int64_t step = from.step + (moves ? move.steps : 0);
    const std::int64_t row = data.rowOf(from.unit) + (moves ? move.rows : 0);
    const std::int64_t placed = std::clamp<std::int64_t>(row, 0, data.cells().width - 1);
    return {std::clamp<std::int64_t>(step, 0, data.cells().steps - 1), data.rows()[static_cast<std::size_t>(placed)]};
}

std::optional<HeatMapZoom> heatMapZoom(int key)
{
    switch (key) {
    case Qt::Key_Plus: return HeatMapZoom{kZoomByOneKey, 1, false};
    case Qt::Key_Minus: return HeatMapZoom{1 / kZoomByOneKey, 1, false};
    case Qt::Key_Period: return HeatMapZoom{1, kZoomByOneKey, false};
    case Qt::Key_Comma: return HeatMapZoom{1, 1 / kZoomByOneKey, false};
    case Qt::Key_0: return HeatMapZoom{1, 1, true};
    default: return std::nullopt;
    }
}

} // namespace unroll
