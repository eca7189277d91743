// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/parallel_painter.h"

#include "app/studio/plot/ticks.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

namespace unroll {

namespace {

constexpr double kLeastRankShade = 0.25; ///< as of points of a figure: the worst are told from the ground
constexpr double kTrialLine = 1.4;
constexpr double kHeldLine = 2.6;
constexpr double kBrushWidth = 12;

} // namespace

QColor trialColour(const ColourMap& map, double rank)
{
    const double share = kLeastRankShade + (1 - kLeastRankShade) * std::clamp(rank, 0.0, 1.0);
    return QColor(map[static_cast<int>(share * 255 + 0.5)]);
}

ParallelPainter::ParallelPainter(QPainter& painter, const StudyPlot& plot, const ParallelPlaces& places,
                                 const Appearance& appearance)
    : m_painter(painter), m_plot(plot), m_places(places), m_appearance(appearance)
{
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setFont(appearance.font(Type::Caption));
}

void ParallelPainter::paintPieces(std::size_t trial, const QPen& pen)
{
    m_painter.setPen(pen);
    for (const auto& piece : m_places.lineOf(m_plot, trial)) {
        if (piece.size() == 1)
            m_painter.drawPoint(piece.front());
        else
            m_painter.drawPolyline(piece.data(), static_cast<int>(piece.size()));
    }
}

/// From the worst to the best, so that these lie on top; what is not finished is grey and broken.
void ParallelPainter::paintLines()
{
    const Theme& theme = m_appearance.theme();
    const ColourMap map = ColourMap::sequential(theme.sequentialMap());
    QColor outside = theme[Theme::Role::ChartAxis];
    outside.setAlphaF(0.16f);
    std::vector<std::size_t> order = m_plot.results()->ranked();
    order.resize(std::min(order.size(), kMostLines));
    std::reverse(order.begin(), order.end());
    for (const bool within : {false, true})
        for (const std::size_t trial : order) {
            if (m_plot.isWithin(trial) != within)
                continue;
            const auto rank = m_plot.rank(trial);
            QColor colour = rank ? trialColour(map, *rank) : theme[Theme::Role::ChartAxis];
            QPen pen(within ? colour : outside, kTrialLine, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
            if (!rank)
                pen.setDashPattern({3, 3});
            paintPieces(trial, pen);
        }
}

void ParallelPainter::paintLine(std::size_t trial, bool held)
{
    const Theme& theme = m_appearance.theme();
    QPen ground(theme[Theme::Role::Panel], kHeldLine + 2.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    paintPieces(trial, ground);
    const QColor colour = theme[held ? Theme::Role::Accent : Theme::Role::Text];
    paintPieces(trial, QPen(colour, held ? kHeldLine : 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    m_painter.setPen(QPen(theme[Theme::Role::Panel], 1.2));
    m_painter.setBrush(colour);
    for (const auto& piece : m_places.lineOf(m_plot, trial))
        for (const QPointF& at : piece)
            m_painter.drawEllipse(at, 3.6, 3.6);
    m_painter.setBrush(Qt::NoBrush);
}

void ParallelPainter::paintAxes(const StudyWatch& watch)
{
    const Theme& theme = m_appearance.theme();
    for (std::size_t axis = 0; axis < m_plot.axisCount(); ++axis) {
        const double x = std::round(m_places.axisX(axis)) + 0.5;
        const bool isValue = axis == m_plot.valueAxis();
        m_painter.setPen(QPen(theme[isValue ? Theme::Role::Text : Theme::Role::ChartAxis], isValue ? 1.4 : 1));
        m_painter.drawLine(QPointF(x, m_places.area().top()), QPointF(x, m_places.area().bottom()));
        if (const auto brush = watch.brushes.find(axis); brush != watch.brushes.end())
            paintBrush(axis, brush->second);
        paintTicks(axis);
        paintTitle(axis);
    }
}

/// What stands before the last dot above it, dim: training. learning_rate.
void ParallelPainter::paintTitle(std::size_t axis)
{
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(m_painter.font());
    const QString whole = m_plot.title(axis);
    const qsizetype dot = whole.lastIndexOf('.');
    const double wide = std::min(m_places.room(), 2 * (m_places.area().left() - space::xs)) - space::s;
    QRectF line(m_places.axisX(axis) - wide / 2, space::xs, wide, text.height());
    m_painter.setPen(theme[Theme::Role::TextDim]);
    m_painter.drawText(line, Qt::AlignCenter,
                       text.elidedText(whole.left(std::max<qsizetype>(0, dot)), Qt::ElideMiddle, wide));
    line.translate(0, text.height());
    m_painter.setFont(m_appearance.font(axis == m_plot.valueAxis() ? Type::Strong : Type::Caption));
    m_painter.setPen(theme[Theme::Role::Text]);
    m_painter.drawText(line, Qt::AlignCenter,
                       QFontMetricsF(m_painter.font()).elidedText(whole.mid(dot + 1), Qt::ElideRight, wide));
    m_painter.setFont(m_appearance.font(Type::Caption));
}

/// Words on a ground, so that lines behind them do not cross them.
void ParallelPainter::paintLabel(double right, double y, const QString& words)
{
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(m_painter.font());
    const double most = m_places.room() - 2 * space::s;
    const QString shown = text.elidedText(words, Qt::ElideRight, most);
    const QRectF box(right - text.horizontalAdvance(shown) - 2 * 2, y - text.height() / 2,
                     text.horizontalAdvance(shown) + 2 * 2, text.height());
    QColor ground = theme[Theme::Role::Panel];
    ground.setAlpha(205);
    m_painter.fillRect(box, ground);
    m_painter.setPen(theme[Theme::Role::TextDim]);
    m_painter.drawText(box, Qt::AlignCenter, shown);
}

void ParallelPainter::paintTicks(std::size_t axis)
{
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(m_painter.font());
    const AxisRange& range = m_plot.range(axis);
    const int wanted = std::clamp(static_cast<int>(m_places.area().height() / (2.4 * text.height())), 2, 8);
    std::vector<Tick> ticks;
    const auto& choices = m_plot.choices(axis);
    for (std::size_t choice = 0; choice < choices.size(); ++choice)
        ticks.push_back({static_cast<double>(choice), QString::fromStdString(choices[choice])});
    if (choices.empty())
        ticks = range.log ? logTicks(range.low, range.high, wanted) : linearTicks(range.low, range.high, wanted);
    const double x = m_places.axisX(axis);
    for (const Tick& tick : ticks) {
        const double y = m_places.y(range.shareOf(tick.value));
        m_painter.setPen(QPen(theme[Theme::Role::ChartAxis], 1));
        m_painter.drawLine(QPointF(x - (tick.label.isEmpty() ? 2 : 4), y), QPointF(x, y));
        if (!tick.label.isEmpty())
            paintLabel(x - 6, y, tick.label);
    }
}

void ParallelPainter::paintBrush(std::size_t axis, const StudyBrush& brush)
{
    const Theme& theme = m_appearance.theme();
    const double x = m_places.axisX(axis);
    QRectF box(x - kBrushWidth / 2, m_places.y(brush.to), kBrushWidth, m_places.y(brush.from) - m_places.y(brush.to));
    if (box.height() < 2)
        box.adjust(0, -1, 0, 1);
    QColor fill = theme[Theme::Role::Accent];
    m_painter.setPen(QPen(fill, 1.4));
    fill.setAlphaF(0.22f);
    m_painter.setBrush(fill);
    m_painter.drawRoundedRect(box, 2, 2);
    m_painter.setBrush(Qt::NoBrush);
}

/// Where the keyboard stands on an axis.
void ParallelPainter::paintCursor(std::size_t axis, double share)
{
    const double x = m_places.axisX(axis), y = m_places.y(share);
    m_painter.setPen(QPen(m_appearance.theme()[Theme::Role::Panel], 1));
    m_painter.setBrush(m_appearance.theme()[Theme::Role::Focus]);
    m_painter.drawPolygon(QPolygonF{QPointF(x + 1, y), QPointF(x + 11, y - 6), QPointF(x + 11, y + 6)});
    m_painter.setBrush(Qt::NoBrush);
}

} // namespace unroll
