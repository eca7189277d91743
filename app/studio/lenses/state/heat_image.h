// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/heat_scale.h"
#include "app/studio/plot/colour_map.h"

#include <QImage>

namespace unroll {

/// One pixel a cell: x = step, y = unit, RGB32. Cells that are not numbers get `missing`, every other one darker: a
/// hatch that no value can be mistaken for.
QImage heatImage(const HeatCells& cells, const HeatScale& scale, const ColourMap& map, QRgb missing);

/// Of a complex signal, whose sizes `cells` are: the phase as hue, -pi..pi around the circle and 0 red, all hues
/// equally light; the size as strength, from the ground to the full colour at the end of the scale.
QImage phaseImage(const HeatCells& cells, const HeatCells& phases, const HeatScale& scale, bool dark, QRgb missing);
QColor phaseColour(double phase, double share, bool dark);

} // namespace unroll
