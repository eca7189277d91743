// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/colour_map.h"
#include "core/lens/figure.h"

#include <QImage>

namespace unroll {

/// What the ends of the colours stand for.
struct HeatEnds {
    float low = -1;
    float high = 1;
    bool diverging = true; ///< zero is the neutral colour
    bool cut = false;      ///< some values lie beyond the ends, and have their colours
    bool cyclic = false;   ///< both ends have one colour
};

/// Bounded and shares have their own ends; others FigureCells::reach, or the 99th percentile of |x|, or the largest
/// value, rounded up so that it stands still.
HeatEnds rangeOf(const FigureCells& cells);

/// So many device pixels of the cells: where one is smaller than a pixel, the value of the largest |x| stands for all
/// behind it, and NaN wins. NaN and infinities have a hatch of `missing`, which no value has.
QImage cellsImage(const FigureCells& cells, const HeatEnds& range, const ColourMap& map, QRgb missing,
                  const QSize& pixels);

} // namespace unroll
