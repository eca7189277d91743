// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_painter.h"

#include "app/studio/lenses/state/heat_image.h"
#include "app/studio/lenses/state/heat_map_picture.h"
#include "app/studio/plot/ticks.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QCoreApplication>
#include <QPainter>
#include <QVector>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

QString number(float value)
{
    return QString::number(static_cast<double>(value), 'g', 3).replace('-', QChar(0x2212));
}

} // namespace

HeatMapPainter::HeatMapPainter(QPainter& painter, const HeatMapData& data, const HeatMapPlaces& places,
                               const Appearance& appearance, const Hand& hand)
    : m_painter(painter),
      m_data(data),
      m_places(places),
      m_appearance(appearance),
      m_hand(hand),
      m_map(places.map()),
      m_content(places.content())
{}

void HeatMapPainter::paintStill(HeatMapPicture& picture, double devicePixelRatio)
{
    m_painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    paintCells(picture.of(m_data, (m_content.size() * devicePixelRatio).toSize()));
    m_painter.setPen(m_appearance.theme()[Theme::Role::HeatFrame]);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(m_map.adjusted(-0.5, -0.5, 0.5, 0.5));
    m_painter.setFont(m_appearance.font(Type::Caption));
    m_data.cells().heads > 0 ? paintHeads() : paintUnits();
    paintLookedAt();
    if (m_places.isLabelled())
        paintFoot(m_data.cells().heads > 0 ? HeatMapData::tr("head") : HeatMapData::tr("unit"));
    paintBar(picture.colours(m_data.scale().diverging));
}

void HeatMapPainter::paintHand()
{
    m_painter.setFont(m_appearance.font(Type::Caption));
    paintProfile();
    paintSpan();
    paintSelected();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setBrush(Qt::NoBrush);
    paintStep();
    paintMarked();
    paintHovered();
}

/// The part of the picture that is seen.
void HeatMapPainter::paintCells(const QImage& image)
{
    const double x = image.width() / m_content.width(), y = image.height() / m_content.height();
    m_painter.drawImage(m_map & m_content, image,
                        QRectF((m_map.left() - m_content.left()) * x, (m_map.top() - m_content.top()) * y,
                               (m_map & m_content).width() * x, (m_map & m_content).height() * y));
}

void HeatMapPainter::paintUnits()
{
    const QFontMetricsF text(m_painter.font());
    m_painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    const AxisZoom& rows = m_places.rows();
    const int wanted = std::max(2, static_cast<int>(m_map.height() / (2.5 * text.height())));
    for (const auto& tick : linearTicks(static_cast<double>(rows.first()), static_cast<double>(rows.last()), wanted)) {
        if (tick.value != std::floor(tick.value))
            continue;
        const double at = m_content.top() + (tick.value + 0.5) * rows.cell();
        m_painter.drawText(QRectF(0, at - text.height() / 2, m_map.left() - 6, text.height()),
                           Qt::AlignRight | Qt::AlignVCenter,
                           QString::number(m_data.rows()[static_cast<std::size_t>(tick.value)]));
    }
}

/// The number of each head beside its rows, and a line between two heads.
void HeatMapPainter::paintHeads()
{
    const QFontMetricsF text(m_painter.font());
    const double block = m_content.height() / static_cast<double>(m_data.cells().heads);
    const auto every = static_cast<std::int64_t>(std::ceil(text.height() / block));
    for (std::int64_t head = 0; head < m_data.cells().heads; ++head) {
        const double top = m_content.top() + static_cast<double>(head) * block;
        if (top + block < m_map.top() || top > m_map.bottom())
            continue;
        m_painter.setPen(m_appearance.theme()[Theme::Role::HeatFrame]);
        if (head > 0 && top >= m_map.top())
            m_painter.drawLine(QPointF(m_map.left(), top), QPointF(m_map.right(), top));
        m_painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
        const double middle = (std::max(top, m_map.top()) + std::min(top + block, m_map.bottom())) / 2;
        if (head % every == 0)
            m_painter.drawText(QRectF(0, middle - text.height() / 2, m_map.left() - 6, text.height()),
                               Qt::AlignRight | Qt::AlignVCenter, QString::number(head + 1));
    }
}

/// Of attention: behind each step's character a ground as strong as the weight that the head pointed at gives it, on
/// the scale of the m_map.
void HeatMapPainter::paintLookedAt()
{
    const auto cell = m_hand.pointed();
    if (m_data.cells().heads == 0 || !cell)
        return;
    const QRectF area = m_places.characters();
    const double width = m_places.steps().cell();
    const std::int64_t first = cell->unit / m_data.cells().steps * m_data.cells().steps;
    QColor ground = m_appearance.theme()[Theme::Role::ChartTrain];
    for (std::int64_t t = 0; t < m_data.cells().steps; ++t) {
        const float weight = m_data.cells().at(cell->step, first + t);
        if (!std::isfinite(weight))
            continue;
        ground.setAlphaF(std::clamp(weight / m_data.scale().high, 0.0f, 1.0f));
        m_painter.fillRect(
            QRectF(m_content.left() + static_cast<double>(t) * width, area.top() + 1, width, area.height() - 3) & area,
            ground);
    }
}

/// Where numbers were read: their place in time.
void HeatMapPainter::paintSteps()
{
    const QFontMetricsF text(m_painter.font());
    const AxisZoom& steps = m_places.steps();
    m_painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    const int wanted = std::max(2, static_cast<int>(m_map.width() / (6 * text.height())));
    for (const auto& tick :
         linearTicks(static_cast<double>(steps.first() + 1), static_cast<double>(steps.last() + 1), wanted)) {
        if (tick.value != std::floor(tick.value))
            continue;
        const double at = m_content.left() + (tick.value - 0.5) * steps.cell();
        m_painter.drawText(
            QRectF(at - 3 * text.height(), m_map.bottom() + HeatMapPlaces::kLabelGap, 6 * text.height(), text.height()),
            Qt::AlignCenter, QString::number(tick.value));
    }
    m_painter.drawText(QRectF(0, m_map.bottom() + HeatMapPlaces::kLabelGap, m_map.left() - 6, text.height()),
                       Qt::AlignRight | Qt::AlignVCenter, HeatMapData::tr("step"));
}

void HeatMapPainter::paintFoot(const QString& corner)
{
    if (m_places.isLabelled())
        m_data.frame().characters.empty() ? paintSteps() : paintCharacters(corner);
}

void HeatMapPainter::paintCharacters(const QString& corner)
{
    m_painter.save();
    m_painter.setFont(m_places.labels().font);
    m_painter.setPen(m_appearance.theme()[Theme::Role::Text]);
    const QRectF seen = m_places.characters().adjusted(-ColumnLabels::kOverhang, 0, ColumnLabels::kOverhang, 0);
    if (m_places.steps().isPart())
        m_painter.setClipRect(seen);
    for (const ColumnLabels::Label& label : m_places.labels().labels)
        if (const QRectF place = m_places.label(label); place.intersects(seen))
            m_painter.drawText(
                place, Qt::AlignCenter | Qt::TextDontClip,
                QString::fromStdString(m_data.frame().characters[static_cast<std::size_t>(label.column)]));
    m_painter.restore();
    const QFontMetricsF text(m_painter.font());
    m_painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    m_painter.drawText(QRectF(0, m_map.bottom() + HeatMapPlaces::kLabelGap, m_map.left() - 6, text.height()),
                       Qt::AlignRight | Qt::AlignVCenter, corner);
    if (m_places.labels().every > 1)
        m_painter.drawText(
            QRectF(m_map.left(),
                   m_map.bottom() + HeatMapPlaces::kLabelGap + std::max(text.height(), m_places.labelLine()),
                   m_map.width(), text.height()),
            Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
            HeatMapData::tr("1 in %1 shown").arg(m_places.labels().every));
}

void HeatMapPainter::paintBar(const ColourMap& colours)
{
    const QRectF bar = m_places.bar();
    if (!m_data.phases().empty())
        return paintPhases(bar);
    QImage strip(1, 256, QImage::Format_RGB32);
    for (int i = 0; i < 256; ++i)
        strip.setPixel(0, 255 - i, colours[i]);
    m_painter.drawImage(bar, strip);
    m_painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5));
    const QFontMetricsF text(m_painter.font());
    m_painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    const int parts = m_map.height() > 6 * text.height() ? 4 : 2;
    for (int i = 0; i <= parts; ++i) {
        const double share = static_cast<double>(i) / parts;
        const float value = m_data.scale().low + static_cast<float>(share) * (m_data.scale().high - m_data.scale().low);
        const double at = std::clamp(bar.bottom() - share * bar.height(), bar.top() + text.height() / 2 - 2,
                                     bar.bottom() - text.height() / 2 + 2);
        m_painter.drawText(
            QRectF(bar.right() + 5, at - text.height() / 2, m_places.width() - bar.right() - 5, text.height()),
            Qt::AlignLeft | Qt::AlignVCenter, number(value));
    }
}

/// Of complex values: the phase as hue from the bottom up, the size as strength from left to right.
void HeatMapPainter::paintPhases(const QRectF& bar)
{
    constexpr double pi = 3.14159265358979323846;
    const bool dark = m_appearance.theme().isDark();
    QImage field(12, 128, QImage::Format_RGB32);
    for (int y = 0; y < field.height(); ++y)
        for (int x = 0; x < field.width(); ++x)
            field.setPixel(x, field.height() - 1 - y,
                           phaseColour(2 * pi * (y + 0.5) / field.height() - pi, x / 11.0, dark).rgb());
    m_painter.drawImage(bar, field);
    m_painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5));
    const QFontMetricsF text(m_painter.font());
    m_painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    const QString names[] = {QStringLiteral("\u2212\u03c0"), QStringLiteral("0"), QStringLiteral("\u03c0")};
    for (int i = 0; i < 3; ++i) {
        const double at = std::clamp(bar.bottom() - i * bar.height() / 2, bar.top() + text.height() / 2 - 2,
                                     bar.bottom() - text.height() / 2 + 2);
        m_painter.drawText(
            QRectF(bar.right() + 5, at - text.height() / 2, m_places.width() - bar.right() - 5, text.height()),
            Qt::AlignLeft | Qt::AlignVCenter, names[i]);
    }
}

/// The values of the step that is pointed at, or else, paler, of the last one, in the order of the rows: from zero to
/// the right or to the left.
void HeatMapPainter::paintProfile()
{
    const QRectF area = m_places.profile();
    if (area.isEmpty())
        return;
    const Theme& theme = m_appearance.theme();
    const auto place = [&](float value) {
        const float share =
            std::clamp((value - m_data.scale().low) / (m_data.scale().high - m_data.scale().low), 0.0f, 1.0f);
        return area.left() + static_cast<double>(share) * area.width();
    };
    const double zero = place(0);
    m_painter.setPen(theme[Theme::Role::HeatFrame]);
    m_painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5));
    const auto pointed = m_hand.column();
    const bool isLast = !pointed || *pointed >= m_data.cells().steps;
    const std::int64_t step = isLast ? m_data.cells().steps - 1 : *pointed;
    paintProfileStep(area, step);
    m_painter.setPen(theme[Theme::Role::Crosshair]);
    m_painter.drawLine(QPointF(zero, area.top()), QPointF(zero, area.bottom()));
    const HeatCells column = m_data.column(step, static_cast<std::int64_t>(m_content.height()));
    const double height = m_content.height() / static_cast<double>(column.width);
    QVector<QRectF> bars, holes;
    for (std::int64_t row = 0; row < column.width; ++row) {
        const float value = column.at(0, row);
        const double top = m_content.top() + static_cast<double>(row) * height;
        const double thick = std::min(height > 4 ? height - 1 : height, area.bottom() - top);
        if (top < area.top() - 0.5 || thick <= 0)
            continue;
        if (std::isfinite(value))
            bars << QRectF(QPointF(zero, top), QSizeF(place(value) - zero, thick)).normalized();
        else
            holes << QRectF(area.left(), top, area.width(), thick);
    }
    m_painter.setPen(Qt::NoPen);
    QColor fill = theme[Theme::Role::ChartTrain];
    fill.setAlphaF(isLast ? 0.45f : 1.0f);
    m_painter.setBrush(fill);
    m_painter.drawRects(bars);
    m_painter.setBrush(theme[Theme::Role::HeatMissing]);
    m_painter.drawRects(holes);
}

/// Below it, where the steps are named.
void HeatMapPainter::paintProfileStep(const QRectF& area, std::int64_t step)
{
    if (!m_places.isLabelled() || m_data.cells().steps < 2)
        return;
    const QFontMetricsF text(m_painter.font());
    const QString words = HeatMapData::tr("step %1").arg(step + 1);
    const double wide = text.horizontalAdvance(words);
    m_painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    m_painter.drawText(QRectF(std::min(area.center().x() - wide / 2, m_places.width() - wide),
                              area.bottom() + HeatMapPlaces::kLabelGap, wide + 1, text.height()),
                       Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, words);
}

/// The step that another view points at.
void HeatMapPainter::paintStep()
{
    if (m_hand.pointed() || !m_hand.step || *m_hand.step >= m_data.cells().steps)
        return;
    const double at = m_content.left() + (static_cast<double>(*m_hand.step) + 0.5) * m_places.steps().cell();
    if (at < m_map.left() || at > m_map.right())
        return;
    const double bottom = m_places.labels().lines > 0 ? m_places.characters().bottom() - 2 : m_map.bottom();
    const double half = std::max(m_places.steps().cell(), 3.0) / 2;
    for (const auto& [role, width] : {std::pair{Theme::Role::Panel, 3.5}, {Theme::Role::Text, 1.5}}) {
        m_painter.setPen(QPen(m_appearance.theme()[role], width));
        m_painter.drawRect(QRectF(QPointF(at - half, m_map.top()), QPointF(at + half, bottom)));
    }
}

/// What lies outside is covered: within, the colours stay what they are.
void HeatMapPainter::paintSpan()
{
    if (m_hand.span.isEmpty())
        return;
    const auto edge = [&](std::int64_t step) {
        const double at = m_content.left() + static_cast<double>(step) * m_places.steps().cell();
        return std::clamp(at, m_map.left(), m_map.right());
    };
    const double left = edge(m_hand.span.from), right = edge(std::min(m_hand.span.to, m_data.cells().steps));
    const Theme& theme = m_appearance.theme();
    QColor cover = theme[Theme::Role::Panel];
    cover.setAlphaF(0.62f);
    m_painter.fillRect(QRectF(m_map.topLeft(), QPointF(left, m_map.bottom())), cover);
    m_painter.fillRect(QRectF(QPointF(right, m_map.top()), m_map.bottomRight()), cover);
    m_painter.setPen(QPen(theme[Theme::Role::Accent], 1));
    for (const double x : {left, right})
        m_painter.drawLine(QPointF(x, m_map.top()), QPointF(x, m_map.bottom()));
    m_painter.fillRect(QRectF(QPointF(left, m_map.bottom()), QPointF(right, m_map.bottom() + 2)),
                       theme[Theme::Role::Accent]);
}

/// A mark at both sides of each selected row, beside the map, so that no value is covered.
void HeatMapPainter::paintSelected()
{
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(m_appearance.theme()[Theme::Role::Accent]);
    for (const std::int64_t unit : m_hand.selected) {
        if (unit < 0 || unit >= m_data.cells().width)
            continue;
        QRectF row = m_places.cell({0, unit});
        const double height = std::max(row.height(), 3.0);
        const double top = row.center().y() - height / 2;
        if (top + height > m_map.top() && top < m_map.bottom())
            m_painter.drawRect(QRectF(m_map.left() - 5, top, 4, height));
    }
}

void HeatMapPainter::paintHovered()
{
    if (!m_hand.hovered)
        return;
    QRectF cell = m_places.cell(*m_hand.hovered);
    const QPointF centre = cell.center();
    QColor guide = m_appearance.theme()[Theme::Role::Text];
    guide.setAlpha(70);
    m_painter.setPen(guide);
    m_painter.drawLine(QPointF(centre.x(), m_map.top()), QPointF(centre.x(), m_map.bottom()));
    m_painter.drawLine(QPointF(m_map.left(), centre.y()), QPointF(m_map.right(), centre.y()));
    cell.setSize({std::max(cell.width(), 6.0), std::max(cell.height(), 6.0)});
    cell.moveCenter(centre);
    m_painter.setPen(QPen(m_appearance.theme()[Theme::Role::Accent], 1.6));
    m_painter.drawRect(cell);
}

/// The column with its character, and the cell. A light and a dark line each, so that they show on every colour of the
/// m_map.
void HeatMapPainter::paintMarked()
{
    const auto place = m_hand.marked;
    if (!place)
        return;
    QRectF cell = m_places.cell(*place);
    const QPointF centre = cell.center();
    if (centre.x() < m_map.left() || centre.x() > m_map.right())
        return;
    const double half = std::max(cell.width(), 3.0) / 2;
    const QRectF column(QPointF(centre.x() - half, m_map.top()),
                        QPointF(centre.x() + half, m_places.characters().bottom() - 2));
    cell.setSize({std::max(cell.width(), 6.0), std::max(cell.height(), 6.0)});
    cell.moveCenter(centre);
    for (const auto& [role, width] : {std::pair{Theme::Role::Panel, 3.5}, {Theme::Role::Text, 1.5}}) {
        m_painter.setPen(QPen(m_appearance.theme()[role], width));
        m_painter.drawRect(column);
        if (centre.y() > m_map.top() && centre.y() < m_map.bottom())
            m_painter.drawRect(cell);
    }
}

} // namespace unroll
