// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/figure/figure_cells.h"
#include "app/studio/theme/theme.h"

#include <QPen>
#include <QString>

namespace unroll {

namespace figureStyle {

inline constexpr double above = 4;      ///< what stays free over the title
inline constexpr double sign = 18;      ///< of a legend's entry: how wide
inline constexpr double colourBar = 10; ///< how wide
/// Of values that go round, from half a period below zero to half a period above: both ends are one colour, and
/// lightness tells the halves apart.
inline const QVector<QColor> kRound{QColor(0x4a1c3c), QColor(0x3f7fb4), QColor(0xe9e6e2), QColor(0xc4743f),
                                    QColor(0x4a1c3c)};
inline constexpr double point = 3.2;         ///< radius
inline constexpr double line = 1.7;          ///< how thick
inline constexpr double widestRowLabel = 11; ///< in heights of its text

} // namespace figureStyle

/// A series has an entry where it has a name, and is not alone with the name of the panel.
bool isInLegend(const FigurePanel& panel, const FigureSeries& series);

/// Colours go by the order of the series; a reference is grey.
Theme::Role roleOf(const FigurePanel& panel, std::size_t series);
/// Lines of one panel differ by their dashes too: any eye distinguishes them.
QPen penOf(const Theme& theme, const FigurePanel& panel, std::size_t series);
/// Likewise points, by their shape.
enum class PointShape { Disc, Square, Triangle, Diamond };
PointShape shapeOf(const FigurePanel& panel, std::size_t series);

/// Four digits, with a minus that is one; "not a number", "infinite".
QString valueText(double value);
/// That the middle of the colour bar stands for.
float middleOf(const HeatEnds& range);
/// Beside the colour bar: an end that values lie beyond says so.
QString endText(const HeatEnds& range, float value);

} // namespace unroll
