// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/figure/figure_plot.h"

#include <QString>

namespace unroll {

/// What the mark says, in one line: where, and the value to four digits.
QString markText(const FigurePlot& plot, const FigureMark& mark);
/// What the lines and bars of a panel of steps say at one step; empty: it has none.
QString stepValuesText(const FigurePlot& plot, std::int64_t step);
/// The panel as a whole, for a screen reader.
QString panelText(const FigurePanel& panel);
/// The one line of a figure, with what could not be shown.
QString showsText(const Figure& figure);

} // namespace unroll
