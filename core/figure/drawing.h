// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/figure/figure_source.h"
#include "core/figure/panel_span.h"
#include "core/figure/pen.h"
#include "core/figure/scale.h"
#include "core/lens/figure.h"

#include <string>
#include <vector>

namespace unroll {

// How a figure is laid out on a sheet, in units of which 96 make an inch. Drawn twice: on a surface that is thrown
// away, for its height, and on that of the file.

inline constexpr double kMargin = 28;
inline constexpr double kLeastToken = 6.2; ///< size of letters below which tokens are not read
inline constexpr Face kTitleFace{17, true, false}, kPanelFace{11.5, true, false}, kTextFace{11, false, false},
    kBoldFace{11, true, false}, kSmallFace{9.5, false, false}, kBarFace{8.5, false, false};

/// A label that stands at a place of an axis.
struct PlacedLabel {
    double value = 0;
    std::string text;
};

/// One panel with its place on the sheet.
struct PanelFrame {
    const FigurePanel* panel = nullptr;
    Span xSpan, ySpan;
    Box plot;   ///< the area within the axes
    Scale x, y; ///< from values to places on the sheet
    std::vector<AxisTick> xTicks, yTicks;
    Face yFace = kSmallFace; ///< of the labels of yTicks
    double gutter = 0;       ///< room at the left of the plot for labels and title
    std::vector<std::string>
        xLabels;        ///< under the places 0, 1, 2, ...; empty: none, or the axis is under a panel below
    bool xShown = true; ///< false: the panel below has the same steps, and its axis is that of both
};

/// Colours of the series of a panel, in their order; those that are dim are grey.
std::vector<Ink> seriesInks(const FigurePanel& panel, const Inks& inks);

/// The panel's heading and legend, which begin at `top`; their height.
double drawHeading(Pen& pen, const PanelFrame& frame, double top);
/// Grid, ticks, labels and titles; the height of what is below the plot.
double drawAxes(Pen& pen, const PanelFrame& frame);
/// Labels, numbers and title below the plot; their height.
double drawXAxis(Pen& pen, const PanelFrame& frame);
/// Cells with their colour bar at the right.
void drawCells(Pen& pen, const PanelFrame& frame);
/// Circles, rules and series, from the back to the front.
void drawSeries(Pen& pen, const PanelFrame& frame);
/// A table in words, from `top` on; its height.
double drawTable(Pen& pen, const FigureTable& table, const Box& within);

/// Width of the sheet that the figure is drawn on.
double sheetWidth(const Figure& figure);
/// All of it; the height of the sheet.
double drawSheet(Pen& pen, const Figure& figure, const FigureSource& source);

} // namespace unroll
