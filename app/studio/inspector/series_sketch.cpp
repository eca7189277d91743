// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/series_sketch.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>
#include <QPainterPath>
#include <cmath>

namespace unroll {

namespace {

constexpr double kMargin = 3; // a line at the edge is drawn whole

} // namespace

SeriesSketch::SeriesSketch(const Appearance& appearance, QWidget* parent) : QWidget(parent), m_appearance(appearance)
{
    setFixedHeight(kHeight);
    connect(&appearance, &Appearance::changed, this, [this] { update(); });
}

void SeriesSketch::setColumn(const ColumnSummary& column, double validation)
{
    m_column = column;
    m_validation = validation;
    update();
}

/// A column that does not change lies in the middle.
double SeriesSketch::heightOf(double value) const
{
    const double range = m_column.greatest - m_column.least;
    const double share = range > 0 ? (value - m_column.least) / range : 0.5;
    return kMargin + (1 - share) * (QWidget::height() - 2 * kMargin);
}

void SeriesSketch::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_appearance.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme[Theme::Role::Hover]);
    painter.drawRoundedRect(rect(), space::radiusSmall, space::radiusSmall);
    const auto places = m_column.low.size();
    const double step = (width() - 2 * kMargin) / static_cast<double>(std::max<std::size_t>(places, 2) - 1);
    const auto firstValidating = static_cast<std::size_t>(std::floor((1 - m_validation) * static_cast<double>(places)));
    QPointF before;
    bool joined = false;
    for (std::size_t i = 0; i < places; ++i) {
        if (std::isnan(m_column.low[i])) {
            joined = false;
            continue;
        }
        const double x = kMargin + static_cast<double>(i) * step;
        const QPointF top(x, heightOf(m_column.high[i])), bottom(x, heightOf(m_column.low[i]));
        const bool validates = i >= firstValidating;
        painter.setPen(QPen(theme[validates ? Theme::Role::ChartValidation : Theme::Role::ChartTrain], 1.25,
                            Qt::SolidLine, Qt::RoundCap));
        if (joined)
            painter.drawLine(before, (top + bottom) / 2);
        painter.drawLine(top, bottom);
        before = (top + bottom) / 2;
        joined = true;
    }
}

} // namespace unroll
