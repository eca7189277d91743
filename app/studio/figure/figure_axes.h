// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/axis_range.h"
#include "app/studio/plot/ticks.h"
#include "core/lens/figure.h"

namespace unroll {

/// The pair of axes of a panel.
struct FigureAxes {
    AxisRange x;
    AxisRange y;
    bool down = false;        ///< y runs downwards: row 0 of cells is on top
    std::int64_t leftOut = 0; ///< values that a logarithmic axis cannot show: they are not positive
};

/// How many steps a panel of steps has: labels, columns of cells, or the last value; 0: its axis is none of steps.
std::int64_t stepCount(const FigurePanel& panel);
/// Of the whole figure, so that its panels of steps stand under one another; 0: it has none.
std::int64_t stepCount(const Figure& figure);

/// As the panel says, else what its values need: bars reach zero, cells and steps are half a place wide beyond their
/// middle. `steps` as stepCount(figure).
FigureAxes axesOf(const FigurePanel& panel, std::int64_t steps);

/// Half the room of a bar, in units of x: of all bars of the panel.
double halfSlot(const FigurePanel& panel);

/// Places of the marks on an axis. Those of steps and of units are whole; steps count from 1 in words.
std::vector<Tick> ticksOf(const AxisRange& axis, int wanted, bool whole, double offset = 0);

} // namespace unroll
