// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/chart_pen.h"

#include <algorithm>

namespace unroll {

QList<qreal> dashOf(Theme::Role color)
{
    static const std::array<QList<qreal>, 4> dashes = {{{5, 2.5}, {1.2, 2.2}, {9, 2.5, 1.2, 2.5}, {14, 3}}};
    const auto* found = std::find(kOverlayColors.begin(), kOverlayColors.end(), color);
    if (found == kOverlayColors.end())
        return {};
    return dashes[static_cast<std::size_t>(found - kOverlayColors.begin()) % dashes.size()];
}

QPen chartPen(const Theme& theme, Theme::Role color, double width)
{
    QPen pen(theme[color], width);
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setCapStyle(Qt::FlatCap); // others would fill the gaps of a dash
    if (const QList<qreal> dash = dashOf(color); !dash.isEmpty())
        pen.setDashPattern(dash);
    return pen;
}

} // namespace unroll
