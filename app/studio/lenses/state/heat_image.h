// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/colour_map.h"
#include "app/studio/lenses/state/heat_scale.h"

#include <QImage>

namespace unroll {

/// One pixel a cell: x = step, y = unit, RGB32. Cells that are no numbers get `missing`, every other one darker: a hatch that no
/// value can be mistaken for.
QImage heatImage(const HeatCells& cells, const HeatScale& scale, const ColourMap& map, QRgb missing);

} // namespace unroll
