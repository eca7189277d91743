// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/heat_map_data.h"

#include <QKeyEvent>
#include <cstdint>
#include <optional>

namespace unroll {

// What keys mean in a heat map.

/// How far a key leads the mark.
struct HeatMapMove {
    std::int64_t steps = 0;
    std::int64_t rows = 0;
};

/// Nothing: the key does not move the mark.
std::optional<HeatMapMove> heatMapMove(const QKeyEvent& event);

/// The cell where the mark comes to, within the map. The first key marks `from` itself, unless it leads to an end.
HeatMapCell cellAfter(const HeatMapMove& move, const HeatMapCell& from, bool isMarked, const HeatMapData& data);

/// By which factors a key enlarges rows or steps.
struct HeatMapZoom {
    double rows = 1;
    double steps = 1;
    bool fits = false; ///< all is to be seen instead
};

/// Nothing: the key does not zoom.
std::optional<HeatMapZoom> heatMapZoom(int key);

} // namespace unroll
