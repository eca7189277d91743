// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn over the axes of a panel: circles, rules, lines, points, bars.
#include "app/studio/figure/figure_painter.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kWidestCap = 8;     ///< of a whisker
constexpr double kLeastShade = 0.25; ///< of the colours of points: the lowest are told from the ground, as in files

} // namespace

/// Words on a ground, so that lines behind them do not cross them.
QRectF FigurePainter::labelPlace(const QPointF& anchor, const QString& words) const
{
    const QFontMetricsF text(m_painter.font());
    QRectF place(anchor.x() - text.horizontalAdvance(words) - space::xs, anchor.y() - text.height() - 1,
                 text.horizontalAdvance(words) + space::xs, text.height());
    place.moveLeft(std::clamp(place.left(), m_area.left(), std::max(m_area.left(), m_area.right() - place.width())));
    place.moveTop(std::clamp(place.top(), m_area.top(), std::max(m_area.top(), m_area.bottom() - place.height())));
    return place;
}

void FigurePainter::paintLabel(const QRectF& place, const QString& words)
{
    QColor ground = m_theme[Theme::Role::Panel];
    ground.setAlpha(215);
    m_painter.fillRect(place, ground);
    m_painter.setPen(m_theme[Theme::Role::TextDim]);
    m_painter.drawText(place, Qt::AlignCenter | Qt::TextDontClip, words);
}

/// Over the circles their labels; one that would cover another is left out.
void FigurePainter::paintCircles()
{
    std::vector<std::pair<QRectF, QString>> labels;
    for (const FigureCircle& circle : m_panel.circles) {
        const QRectF place = QRectF(m_plot.at(circle.x - circle.radius, circle.y - circle.radius),
                                    m_plot.at(circle.x + circle.radius, circle.y + circle.radius))
                                 .normalized();
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_theme[Theme::Role::ChartAxis], 1));
        m_painter.drawEllipse(place);
        const double side = place.width() / 2 * std::sqrt(0.5);
        const QString words = QString::fromStdString(circle.label);
        const QRectF label = labelPlace(place.center() + QPointF(side, -side) + QPointF(space::xs, space::s), words);
        if (!words.isEmpty() &&
            std::none_of(labels.begin(), labels.end(), [&](const auto& each) { return each.first.intersects(label); }))
            labels.emplace_back(label, words);
    }
    for (const auto& [label, words] : labels)
        paintLabel(label, words);
}

void FigurePainter::paintRules()
{
    QPen pen(m_theme[Theme::Role::TextDim], 1);
    pen.setDashPattern({5, 3});
    m_painter.setPen(pen);
    for (const FigureRule& rule : m_panel.rules) {
        const QPointF place = m_plot.ruleAt(rule);
        if (!m_area.adjusted(-1, -1, 1, 1).contains(place))
            continue;
        const QPointF crisp(snapped(place.x()) + 0.5 / m_ratio, snapped(place.y()) + 0.5 / m_ratio);
        if (rule.vertical)
            m_painter.drawLine(QPointF(crisp.x(), m_area.top()), QPointF(crisp.x(), m_area.bottom()));
        else
            m_painter.drawLine(QPointF(m_area.left(), crisp.y()), QPointF(m_area.right(), crisp.y()));
    }
}

/// Values and other rules that words in this place would cover.
std::ptrdiff_t FigurePainter::covered(const QRectF& place, const FigureRule& own) const
{
    std::ptrdiff_t count = std::ranges::count_if(m_panel.rules, [&](const FigureRule& rule) {
        return &rule != &own && !rule.vertical && place.top() < m_plot.ruleAt(rule).y() &&
               m_plot.ruleAt(rule).y() < place.bottom();
    });
    for (const FigureSeries& series : m_panel.series)
        for (std::size_t i = 0; i < series.x.size(); ++i)
            count += place.contains(m_plot.at(series.x[i], series.y[i])) ? 1 : 0;
    return count;
}

/// Over all that is drawn: else bars would cover them. Above a horizontal rule, or below it where they cover less; to
/// the right of a vertical one where there is room, as in files.
void FigurePainter::paintRuleLabels()
{
    const QFontMetricsF text(m_painter.font());
    for (const FigureRule& rule : m_panel.rules) {
        const QPointF place = m_plot.ruleAt(rule);
        const QString label = QString::fromStdString(rule.label);
        if (label.isEmpty() || !m_area.adjusted(-1, -1, 1, 1).contains(place))
            continue;
        if (rule.vertical) {
            const double beyond = place.x() + 2 + text.horizontalAdvance(label) + space::xs;
            const double right = beyond <= m_area.right() ? beyond : place.x() - 2;
            paintLabel(labelPlace(QPointF(right, m_area.top() + text.height() + 1), label), label);
            continue;
        }
        const QRectF above = labelPlace(QPointF(m_area.right(), place.y()), label);
        const QRectF below = labelPlace(QPointF(m_area.right(), place.y() + text.height() + 3), label);
        const bool isBelow = below.top() > place.y() && covered(below, rule) < covered(above, rule);
        paintLabel(isBelow ? below : above, label);
    }
}

void FigurePainter::paintSeries(std::size_t series)
{
    switch (m_panel.series[series].kind) {
    case FigureSeries::Kind::Line:
        paintBand(series);
        paintLine(series);
        break;
    case FigureSeries::Kind::Points: paintPoints(series); break;
    case FigureSeries::Kind::Bars: paintBars(series); break;
    }
    paintMissing(series);
}

QColor FigurePainter::shadeColour(std::size_t series, std::size_t index)
{
    const FigureSeries& of = m_panel.series[series];
    if (index >= of.shade.size())
        return m_theme[roleOf(m_panel, series)];
    if (!std::isfinite(of.shade[index]))
        return m_theme[Theme::Role::HeatMissing];
    const double share = kLeastShade + (1 - kLeastShade) * std::clamp(of.shade[index], 0.0, 1.0);
    return QColor(colours({.diverging = false})[static_cast<int>(share * 255 + 0.5)]);
}

/// The interval about a line; a gap where one of its ends is not a number.
void FigurePainter::paintBand(std::size_t series)
{
    const FigureSeries& of = m_panel.series[series];
    QColor fill = m_theme[roleOf(m_panel, series)];
    fill.setAlphaF(0.18f);
    QPolygonF upper, lower;
    const auto flush = [&] {
        if (upper.size() > 1) {
            std::reverse(lower.begin(), lower.end());
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(fill);
            m_painter.drawPolygon(upper + lower);
            m_painter.setBrush(Qt::NoBrush);
        }
        upper.clear();
        lower.clear();
    };
    for (std::size_t i = 0; i < std::min({of.x.size(), of.low.size(), of.high.size()}); ++i) {
        if (!m_plot.isShown(of.x[i], of.low[i]) || !m_plot.isShown(of.x[i], of.high[i])) {
            flush();
            continue;
        }
        upper << m_plot.at(of.x[i], of.high[i]);
        lower << m_plot.at(of.x[i], of.low[i]);
    }
    flush();
}

void FigurePainter::paintLine(std::size_t series)
{
    const FigureSeries& of = m_panel.series[series];
    QPen pen = penOf(m_theme, m_panel, series);
    const bool shaded = !of.shade.empty();
    QPolygonF piece;
    const auto flush = [&] {
        m_painter.setPen(pen);
        if (piece.size() > 1)
            m_painter.drawPolyline(piece);
        else if (piece.size() == 1) { // alone between two gaps
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(pen.color());
            m_painter.drawEllipse(piece.front(), figureStyle::point * 0.8, figureStyle::point * 0.8);
            m_painter.setBrush(Qt::NoBrush);
        }
        piece.clear();
    };
    for (std::size_t i = 0; i < std::min(of.x.size(), of.y.size()); ++i) {
        if (!m_plot.isShown(of.x[i], of.y[i])) {
            flush();
            continue;
        }
        const QPointF place = m_plot.at(of.x[i], of.y[i]);
        piece << place;
        if (shaded && piece.size() > 1) {
            pen.setColor(shadeColour(series, i));
            pen.setStyle(Qt::SolidLine);
            flush();
            piece << place;
        }
    }
    if (!shaded || piece.size() != 1)
        flush();
}

void FigurePainter::paintShape(const QPointF& at, PointShape shape, double radius)
{
    const double r = radius;
    switch (shape) {
    case PointShape::Disc: m_painter.drawEllipse(at, r, r); break;
    case PointShape::Square: m_painter.drawRect(QRectF(at - QPointF(r, r) * 0.88, QSizeF(2, 2) * r * 0.88)); break;
    case PointShape::Triangle:
        m_painter.drawPolygon(
            QPolygonF{at + QPointF(0, -r * 1.2), at + QPointF(r * 1.1, r * 0.8), at + QPointF(-r * 1.1, r * 0.8)});
        break;
    case PointShape::Diamond:
        m_painter.drawPolygon(QPolygonF{at + QPointF(0, -r * 1.3), at + QPointF(r * 1.2, 0), at + QPointF(0, r * 1.3),
                                        at + QPointF(-r * 1.2, 0)});
        break;
    }
}

/// Many points are small and let others through.
void FigurePainter::paintPoints(std::size_t series)
{
    const FigureSeries& of = m_panel.series[series];
    const bool many = of.x.size() > 800;
    const bool shaded = !of.shade.empty();
    const double radius = many ? 1.9 : of.dim ? figureStyle::point * 0.8 : figureStyle::point;
    QColor edge = m_theme[Theme::Role::ChartAxis];
    for (std::size_t i = 0; i < std::min(of.x.size(), of.y.size()); ++i) {
        if (!m_plot.isShown(of.x[i], of.y[i]))
            continue;
        const QPointF place = m_plot.at(of.x[i], of.y[i]);
        if (i < of.low.size() && i < of.high.size())
            paintWhisker(series, i, place.x());
        QColor fill = shadeColour(series, i);
        if (many && !shaded)
            fill.setAlphaF(0.6f);
        if (shaded && !many)
            m_painter.setPen(QPen(edge, 0.8)); // the palest are seen too
        else
            m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(fill);
        paintShape(place, shapeOf(m_panel, series), radius);
    }
    m_painter.setBrush(Qt::NoBrush);
}

void FigurePainter::paintBars(std::size_t series)
{
    const FigureSeries& of = m_panel.series[series];
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t i = 0; i < std::min(of.x.size(), of.y.size()); ++i)
        if (const QRectF bar = m_plot.bar(series, i); !bar.isNull()) {
            QRectF crisp(QPointF(snapped(bar.left()), snapped(bar.top())),
                         QPointF(snapped(bar.right()), snapped(bar.bottom())));
            crisp.setWidth(std::max(crisp.width(), 1 / m_ratio));
            m_painter.fillRect(crisp, shadeColour(series, i));
        }
    m_painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < std::min({of.x.size(), of.low.size(), of.high.size()}); ++i)
        paintWhisker(series, i, m_plot.bar(series, i).center().x());
}

void FigurePainter::paintWhisker(std::size_t series, std::size_t index, double x)
{
    const FigureSeries& of = m_panel.series[series];
    if (!m_plot.isShown(of.x[index], of.y[index]) || !m_plot.isShown(of.x[index], of.low[index]) ||
        !m_plot.isShown(of.x[index], of.high[index]))
        return;
    const double top = m_plot.at(of.x[index], of.high[index]).y();
    const double bottom = m_plot.at(of.x[index], of.low[index]).y();
    const bool bars = of.kind == FigureSeries::Kind::Bars;
    const QColor colour = m_theme[bars ? Theme::Role::Text : roleOf(m_panel, series)];
    hairline({x, top}, {x, bottom}, colour);
    const double room = bars ? m_plot.bar(series, index).width() : kWidestCap;
    const double cap = room < 5 ? 0 : std::min(kWidestCap, room * 0.6) / 2;
    if (cap > 0)
        for (const double y : {top, bottom})
            hairline({x - cap, y}, {x + cap, y}, colour);
}

/// What is not a number has a hatch at the foot of its place.
void FigurePainter::paintMissing(std::size_t series)
{
    const FigureSeries& of = m_panel.series[series];
    const double foot = m_area.bottom(), high = 7;
    const double wide =
        m_plot.steps() > 0 ? std::clamp(m_area.width() / static_cast<double>(m_plot.steps()), 2.0, 12.0) : 5;
    m_painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < std::min(of.x.size(), of.y.size()); ++i) {
        if (std::isfinite(of.y[i]) || !m_plot.isShown(of.x[i], m_plot.axes().y.high))
            continue;
        const double x = m_plot.at(of.x[i], m_plot.axes().y.high).x();
        const QRectF place(x - wide / 2, foot - high, wide, high);
        QColor ground = m_theme[Theme::Role::HeatMissing];
        m_painter.fillRect(place, ground.darker(170));
        m_painter.fillRect(place, QBrush(ground, Qt::BDiagPattern));
    }
    m_painter.setBrush(Qt::NoBrush);
}

} // namespace unroll
