// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/chart_frame.h"

#include "app/studio/plot/chart_legend.h"
#include "app/studio/plot/ticks.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <vector>

namespace unroll {

namespace {

constexpr int kBandAlpha = 44;               ///< of 255: several bands on each other are still distinguished
constexpr double kXSpacing = 80;             ///< least distance of x numbers, px
constexpr std::size_t kUnreadable = 1 << 20; ///< words on words, beside pieces of curves that they may cover

std::vector<Tick> ticksOf(const AxisRange& axis, double pixels, double spacing)
{
    const int wanted = std::max(2, static_cast<int>(pixels / spacing));
    if (axis.log)
        return logTicks(axis.low, axis.high, wanted);
    return axis.isTime ? timeTicks(axis.low, axis.high, wanted) : linearTicks(axis.low, axis.high, wanted);
}

bool holds(const AxisRange& axis, double value)
{
    return value >= axis.low && value <= axis.high;
}

} // namespace

QPointF ChartFrame::toPlot(const QRectF& plot, const QPointF& point) const
{
    return {plot.left() + picture.x.shareOf(point.x()) * plot.width(),
            plot.bottom() - picture.y.shareOf(point.y()) * plot.height()};
}

double ChartFrame::xAt(const QRectF& plot, double x) const
{
    return std::round(plot.left() + picture.x.shareOf(x) * plot.width()) + 0.5;
}

double ChartFrame::yAt(const QRectF& plot, double y) const
{
    return std::round(plot.bottom() - picture.y.shareOf(y) * plot.height()) + 0.5;
}

QStringList ChartFrame::shownText() const
{
    QStringList all;
    for (auto series = picture.series.rbegin(); series != picture.series.rend(); ++series)
        if (!series->look.name.isEmpty())
            all << series->look.name;
    for (const ChartLevel& level : picture.levels)
        all << level.label;
    if (picture.best)
        all << picture.best->label;
    if (!picture.notice.isEmpty())
        all << picture.notice;
    for (const Reading& reading : readings)
        all << reading.words;
    return all;
}

QFont ChartFrame::font() const
{
    return m_appearance.font(Type::Caption);
}

QRectF ChartFrame::plotArea(const QSizeF& size) const
{
    const QFontMetricsF text(font());
    double labels = text.horizontalAdvance("0.00");
    for (const auto& tick : ticksOf(picture.y, size.height(), 3 * text.height()))
        labels = std::max(labels, text.horizontalAdvance(tick.label));
    const double left = std::ceil(labels) + space::l + space::xs;
    const double right = std::max(left + 20, size.width() - space::l);
    const ChartLegend legend(picture.series, text, left, right, space::l + text.horizontalAdvance(picture.y.title));
    const double top = legend.rowCount() * ChartLegend::rowHeight(text) + 2 * space::s;
    const double bottom = text.height() + space::m;
    return QRectF(left, top, right - left, std::max(20.0, size.height() - top - bottom));
}

void ChartFrame::paintBehind(QPainter& painter, const QRectF& plot) const
{
    painter.setFont(font());
    paintGrid(painter, plot);
    paintBands(painter, plot);
    paintTitles(painter, plot);
}

void ChartFrame::paintBands(QPainter& painter, const QRectF& plot) const
{
    if (picture.bands.empty())
        return;
    painter.save();
    painter.setClipRect(plot);
    painter.setPen(Qt::NoPen);
    for (const ChartBand& band : picture.bands) {
        QPolygonF area;
        for (const ChartBand::Edge& edge : band.edges)
            area << toPlot(plot, {edge.x, edge.high});
        for (auto edge = band.edges.rbegin(); edge != band.edges.rend(); ++edge)
            area << toPlot(plot, {edge->x, edge->low});
        QColor fill = m_appearance.theme()[band.color];
        fill.setAlpha(kBandAlpha);
        painter.setBrush(fill);
        painter.drawPolygon(area);
    }
    painter.restore();
}

void ChartFrame::paintAbove(QPainter& painter, const QRectF& plot) const
{
    const Theme& theme = m_appearance.theme();
    painter.setFont(font());
    paintLevels(painter, plot);
    paintMarks(painter, plot);
    if (picture.best)
        paintBest(painter, plot, *picture.best);
    if (crosshair && holds(picture.x, *crosshair))
        paintCrosshair(painter, plot);
    else
        paintNotice(painter, plot); // the readings stand in its place
    if (!handBox.isEmpty()) {
        QColor fill = theme[Theme::Role::BoxSelect];
        painter.setPen(fill);
        fill.setAlpha(40);
        painter.setBrush(fill);
        painter.drawRect(handBox);
    }
    if (hasFocus) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme[Theme::Role::Focus], 1));
        painter.drawRoundedRect(plot.adjusted(-1.5, -1.5, 1.5, 1.5), space::radiusSmall, space::radiusSmall);
    }
}

void ChartFrame::paintGrid(QPainter& painter, const QRectF& plot) const
{
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(painter.font());
    for (const auto& tick : ticksOf(picture.y, plot.height(), 3 * text.height())) {
        const double at = yAt(plot, tick.value);
        painter.setPen(QPen(theme[Theme::Role::ChartGrid], 1));
        painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at));
        painter.setPen(theme[Theme::Role::TextDim]);
        painter.drawText(QRectF(0, at - text.height() / 2, plot.left() - space::s, text.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    // The x title stands in the corner below the y numbers: a label that would meet it is left out.
    const double free = space::m + text.horizontalAdvance(picture.x.title) + space::xs;
    for (const auto& tick : ticksOf(picture.x, plot.width(), kXSpacing)) {
        const double at = xAt(plot, tick.value);
        painter.setPen(QPen(theme[Theme::Role::ChartAxis], 1));
        painter.drawLine(QPointF(at, plot.bottom()), QPointF(at, plot.bottom() + space::xs));
        painter.setPen(theme[Theme::Role::TextDim]);
        const double width = text.horizontalAdvance(tick.label) + 2;
        if (at - width / 2 >= free)
            painter.drawText(QRectF(at - width / 2, plot.bottom() + space::xs + 2, width, text.height()),
                             Qt::AlignCenter, tick.label);
    }
    painter.setPen(QPen(theme[Theme::Role::ChartAxis], 1));
    painter.drawLine(QPointF(plot.left(), std::round(plot.bottom()) + 0.5),
                     QPointF(plot.right(), std::round(plot.bottom()) + 0.5));
}

void ChartFrame::paintTitles(QPainter& painter, const QRectF& plot) const
{
    const QFontMetricsF text(painter.font());
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    painter.drawText(QPointF(space::m, space::s + text.ascent()), picture.y.title);
    painter.drawText(QPointF(space::m, plot.bottom() + space::xs + 2 + text.ascent()), picture.x.title);
    const ChartLegend legend(picture.series, text, plot.left(), plot.right(),
                             space::l + text.horizontalAdvance(picture.y.title));
    legend.paint(painter, m_appearance.theme(), space::s);
}

/// Words on a ground that lets them be read over curves, pushed back into the plot where they would leave it, and cut
/// where they are wider.
void ChartFrame::paintText(QPainter& painter, const QRectF& plot, QRectF box, const QString& words,
                           Theme::Role color) const
{
    box.setWidth(std::min(box.width(), plot.width() - 4));
    box.moveLeft(std::clamp(box.left(), plot.left() + 2, std::max(plot.left() + 2, plot.right() - box.width() - 2)));
    QColor ground = m_appearance.theme()[Theme::Role::Panel];
    ground.setAlpha(215);
    painter.fillRect(box, ground);
    painter.setPen(m_appearance.theme()[color]);
    painter.drawText(box, Qt::AlignCenter,
                     QFontMetricsF(painter.font()).elidedText(words, Qt::ElideRight, box.width() - space::xs));
}

/// Pieces of curves, other levels and the best point's ring that words in this box would cover.
std::size_t ChartFrame::hits(const QRectF& plot, const QRectF& box, const ChartLevel& own) const
{
    std::size_t count = 0;
    const double from = picture.x.valueAt((box.left() - plot.left()) / plot.width());
    const double to = picture.x.valueAt((box.right() - plot.left()) / plot.width());
    for (const ChartSeries& series : picture.series) {
        const auto& points = series.points;
        auto next = std::lower_bound(points.begin(), points.end(), from,
                                     [](const QPointF& point, double x) { return point.x() < x; });
        if (next != points.begin())
            --next;
        for (; next != points.end() && next->x() <= to; ++next) {
            const QPointF a = toPlot(plot, *next), b = next + 1 != points.end() ? toPlot(plot, *(next + 1)) : a;
            const auto yOn = [&](double x) { // of the piece, within the box
                const double along = b.x() > a.x() ? std::clamp((x - a.x()) / (b.x() - a.x()), 0.0, 1.0) : 0;
                return a.y() + along * (b.y() - a.y());
            };
            const auto [low, high] = std::minmax({yOn(box.left()), yOn(box.right())});
            count += high >= box.top() && low <= box.bottom() ? 1 : 0;
        }
    }
    for (const ChartLevel& level : picture.levels) {
        const double line = yAt(plot, level.y);
        count += &level != &own && holds(picture.y, level.y) && line > box.top() && line < box.bottom() ? 1 : 0;
    }
    if (picture.best)
        count += box.adjusted(-7, -7, 7, 7).contains(toPlot(plot, picture.best->at)) ? 1 : 0;
    return count;
}

/// Above the line or below it, where it covers the least, on the left if it may; beside the words of earlier levels, or
/// on top of them where a small plot has no other room. In brief where that covers less.
ChartFrame::LevelWords ChartFrame::levelWords(const QRectF& plot, const ChartLevel& level) const
{
    const QFontMetricsF text(font());
    const double at = yAt(plot, level.y);
    std::vector<QRectF> taken;
    for (const ChartLevel* earlier = picture.levels.data(); earlier != &level; ++earlier)
        if (holds(picture.y, earlier->y))
            taken.push_back(levelBox(plot, *earlier));
    LevelWords best;
    std::size_t least = 0;
    const auto offer = [&](const QString& words, double share, double top) {
        const QSizeF size(std::min(text.horizontalAdvance(words) + 2 * space::xs, plot.width() - 4), text.height());
        const double room = std::max(0.0, plot.width() - 2 * space::xs - size.width());
        const QRectF box(QPointF(plot.left() + space::xs + share * room, top), size);
        if (box.top() < plot.top() || box.bottom() > plot.bottom() || (!best.box.isNull() && least == 0))
            return;
        std::size_t covers = hits(plot, box, level);
        for (const QRectF& other : taken)
            covers += other.intersects(box) ? kUnreadable : 0;
        if (best.box.isNull() || covers < least) {
            best = {box, words};
            least = covers;
        }
    };
    const bool fits = text.horizontalAdvance(level.label) + 2 * space::xs <= plot.width() - 4;
    QStringList wordings{level.label, level.brief};
    if (level.brief.isEmpty())
        wordings.removeLast();
    else if (!fits)
        wordings.removeFirst();
    for (const QString& words : wordings)
        for (const double share : {0.0, 1.0, 0.5, 0.25, 0.75})
            for (const double top : {at - text.height() - 2, at + 2})
                offer(words, share, top);
    for (const QString& words : wordings)
        for (const QRectF& other : taken)
            offer(words, 0, other.top() - text.height());
    return best;
}

/// All lines before all words: no line goes through the words of another.
void ChartFrame::paintLevels(QPainter& painter, const QRectF& plot) const
{
    for (const ChartLevel& level : picture.levels) {
        if (!holds(picture.y, level.y))
            continue;
        const double at = yAt(plot, level.y);
        QPen pen(m_appearance.theme()[level.color], 1.2, Qt::CustomDashLine);
        pen.setDashPattern({5, 4});
        painter.setPen(pen);
        painter.drawLine(QPointF(plot.left(), at), QPointF(plot.right(), at));
    }
    for (const ChartLevel& level : picture.levels)
        if (holds(picture.y, level.y))
            if (const auto [box, words] = levelWords(plot, level); !box.isNull())
                paintText(painter, plot, box, words, level.color);
}

void ChartFrame::paintMarks(QPainter& painter, const QRectF& plot) const
{
    painter.setPen(Qt::NoPen);
    for (const ChartMark& mark : picture.marks) {
        if (!holds(picture.x, mark.x))
            continue;
        painter.setBrush(m_appearance.theme()[mark.color]);
        const double x = plot.left() + picture.x.shareOf(mark.x) * plot.width();
        const bool upper = mark.kind == ChartMark::Kind::NotANumber;
        const double base = upper ? plot.top() : plot.bottom() - 7;
        const QPointF triangle[] = {{x - 4, base}, {x + 4, base}, {x, base + 7}};
        painter.drawPolygon(triangle, 3);
    }
}

/// Within the plot's height, and neither on a level's line nor on its words.
bool ChartFrame::isFree(const QRectF& plot, const QRectF& box) const
{
    return box.top() > plot.top() && box.bottom() < plot.bottom() &&
           std::none_of(picture.levels.begin(), picture.levels.end(), [&](const ChartLevel& level) {
               const double line = yAt(plot, level.y);
               return holds(picture.y, level.y) &&
                      ((box.top() < line && line < box.bottom()) || box.intersects(levelBox(plot, level)));
           });
}

void ChartFrame::paintBest(QPainter& painter, const QRectF& plot, const ChartPoint& best) const
{
    if (!holds(picture.x, best.at.x()) || !holds(picture.y, best.at.y()))
        return;
    const QFontMetricsF text(painter.font());
    const QPointF at = toPlot(plot, best.at);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(m_appearance.theme()[best.color], 1.6));
    painter.drawEllipse(at, 6, 6);
    const double width = text.horizontalAdvance(best.label) + 2 * space::xs;
    const QRectF over(at.x() - width / 2, at.y() - space::s - text.height(), width, text.height());
    const QRectF under(at.x() - width / 2, at.y() + space::s, width, text.height());
    const QRectF& first = best.isLowest ? under : over;
    const QRectF& other = best.isLowest ? over : under;
    const auto isInside = [&](const QRectF& box) { return box.top() > plot.top() && box.bottom() < plot.bottom(); };
    const bool firstServes = isFree(plot, first) || (isInside(first) && !isFree(plot, other));
    paintText(painter, plot, firstServes ? first : other, best.label, best.color);
}

void ChartFrame::paintNotice(QPainter& painter, const QRectF& plot) const
{
    if (picture.notice.isEmpty())
        return;
    const QFontMetricsF text(painter.font());
    const double width = text.horizontalAdvance(picture.notice) + 2 * space::xs;
    paintText(painter, plot, QRectF(plot.right() - width, plot.top() + space::xs, width, text.height()), picture.notice,
              Theme::Role::TextDim);
}

void ChartFrame::paintCrosshair(QPainter& painter, const QRectF& plot) const
{
    const Theme& theme = m_appearance.theme();
    const double at = xAt(plot, *crosshair);
    painter.setPen(QPen(theme[Theme::Role::Crosshair], 1));
    painter.drawLine(QPointF(at, plot.top()), QPointF(at, plot.bottom()));
    painter.setPen(QPen(theme[Theme::Role::Panel], 1));
    for (const Reading& reading : readings) {
        if (!reading.at || !holds(picture.x, reading.at->x()) || !holds(picture.y, reading.at->y()))
            continue;
        painter.setBrush(theme[*reading.color]);
        painter.drawEllipse(toPlot(plot, *reading.at), 3.5, 3.5);
    }
    paintReadings(painter, plot, at);
}

void ChartFrame::paintReadings(QPainter& painter, const QRectF& plot, double at) const
{
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(painter.font());
    constexpr double dot = 7;
    // A run may have any name; what is shortened is its middle, since its end is a number.
    const double longest = std::min(240.0, plot.width() * 0.6);
    QStringList lines;
    double width = 0;
    for (const Reading& reading : readings) {
        lines << text.elidedText(reading.words, Qt::ElideMiddle, longest);
        width = std::max(width, text.horizontalAdvance(lines.back()) + (reading.color ? dot + space::xs : 0));
    }
    const double height = text.lineSpacing() * static_cast<double>(readings.size());
    QRectF box(at + space::s, plot.top() + space::xs, width + 2 * space::s, height + 2 * space::xs);
    if (box.right() > plot.right())
        box.moveRight(std::max(at - space::s, plot.left() + box.width()));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme[Theme::Role::Tooltip]);
    painter.drawRoundedRect(box, space::radiusSmall, space::radiusSmall);
    double top = box.top() + space::xs;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        double left = box.left() + space::s;
        if (readings[i].color) {
            painter.setPen(QPen(theme[Theme::Role::TooltipText], 1)); // its rim tells it from the ground in both themes
            painter.setBrush(theme[*readings[i].color]);
            painter.drawEllipse(QPointF(left + dot / 2, top + text.height() / 2), dot / 2, dot / 2);
            left += dot + space::xs;
        }
        painter.setPen(theme[Theme::Role::TooltipText]);
        painter.drawText(QPointF(left, top + text.ascent()), lines[static_cast<qsizetype>(i)]);
        top += text.lineSpacing();
    }
}

} // namespace unroll
