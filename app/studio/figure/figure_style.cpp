// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_style.h"

#include "app/studio/plot/chart_pen.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

namespace unroll {

namespace {

/// Its number among those that are not a reference.
std::size_t placeOf(const FigurePanel& panel, std::size_t series)
{
    return static_cast<std::size_t>(std::count_if(panel.series.begin(),
                                                  panel.series.begin() + static_cast<std::ptrdiff_t>(series),
                                                  [](const FigureSeries& each) { return !each.dim; }));
}

QString signedText(QString text)
{
    return text.replace('-', QChar(0x2212));
}

} // namespace

bool isInLegend(const FigurePanel& panel, const FigureSeries& series)
{
    return !series.name.empty() && (panel.series.size() > 1 || series.name != panel.title);
}

Theme::Role roleOf(const FigurePanel& panel, std::size_t series)
{
    if (panel.series[series].dim)
        return Theme::Role::ChartAxis;
    const std::size_t place = placeOf(panel, series) % (2 + kOverlayColors.size());
    return place == 0 ? Theme::Role::ChartTrain : place == 1 ? Theme::Role::ChartValidation : kOverlayColors[place - 2];
}

QPen penOf(const Theme& theme, const FigurePanel& panel, std::size_t series)
{
    QPen pen = chartPen(theme, roleOf(panel, series), figureStyle::line);
    if (panel.series[series].dim) {
        pen.setDashPattern({3, 2.5});
        pen.setWidthF(1.3);
    } else if (placeOf(panel, series) == 1) {
        pen.setDashPattern({7, 2}); // a hue apart from the first, and a dash for eyes that see none
    }
    return pen;
}

PointShape shapeOf(const FigurePanel& panel, std::size_t series)
{
    return static_cast<PointShape>(placeOf(panel, series) % 4);
}

QString valueText(double value)
{
    if (std::isnan(value))
        return QCoreApplication::translate("FigureView", "not a number");
    if (std::isinf(value))
        return value > 0 ? QCoreApplication::translate("FigureView", "infinite")
                         : QCoreApplication::translate("FigureView", "negative infinite");
    return signedText(QString::number(value, 'g', 4));
}

float middleOf(const HeatEnds& range)
{
    return range.diverging ? 0 : (range.low + range.high) / 2;
}

QString endText(const HeatEnds& range, float value)
{
    const QString number = signedText(QString::number(static_cast<double>(value), 'g', 3));
    if (!range.cut || (value != range.low && value != range.high))
        return number;
    return (value == range.high ? QStringLiteral("\u2265") : QStringLiteral("\u2264")) + number;
}

} // namespace unroll
