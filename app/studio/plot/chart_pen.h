// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/theme.h"

#include <QList>
#include <QPen>
#include <array>

namespace unroll {

/// The colours of overlays: one each, so there are never more of them than this. The first four have a dash each, the
/// others the same dashes again: two of one dash are distinguished by any eye (see run_marks_test).
inline constexpr std::array kOverlayColors = {
    Theme::Role::ChartOverlay1, Theme::Role::ChartOverlay2, Theme::Role::ChartOverlay3, Theme::Role::ChartOverlay7,
    Theme::Role::ChartOverlay5, Theme::Role::ChartOverlay6, Theme::Role::ChartOverlay4, Theme::Role::ChartOverlay8};

/// How a line of that colour is broken, in widths of its pen: marks and gaps. Empty: not at all, as those of the
/// current run.
QList<qreal> dashOf(Theme::Role color);
/// A pen for a line of a chart.
QPen chartPen(const Theme& theme, Theme::Role color, double width);

} // namespace unroll
