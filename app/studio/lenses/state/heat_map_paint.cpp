// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_image.h"
#include "app/studio/lenses/state/heat_map_view.h"
#include "app/studio/plot/ticks.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>
#include <QVector>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double barWidth = 12;
constexpr double profileWidth = 48;
constexpr int leastWithProfile = 400; ///< px; a narrower view gives all its room to the map
constexpr double labelGap = 3;        ///< px between the map and the labels below it

QString number(float value)
{
    return QString::number(static_cast<double>(value), 'g', 3).replace('-', QChar(0x2212));
}

} // namespace

QRectF HeatMapView::mapArea() const
{
    const QFontMetricsF text(m_appearance.font(Type::Caption));
    const double left = text.horizontalAdvance("0000") + space::m;
    const double profile = width() < leastWithProfile ? 0 : profileWidth + space::s;
    const double right =
        profile + barWidth + text.horizontalAdvance(QString(QChar(0x2212)) + "0.000") + space::l + space::m;
    const double bottom =
        std::max(text.height(), m_labels.lines * m_labelLine) + (m_labels.every > 1 ? text.height() : 0) + space::s;
    return QRectF(left, space::s, width() - left - right, height() - space::s - bottom);
}

QRectF HeatMapView::charactersArea() const
{
    const QRectF map = mapArea();
    return QRectF(map.left(), map.bottom(), map.width(), height() - map.bottom());
}

/// Empty where there is no room for it.
QRectF HeatMapView::profileArea() const
{
    const QRectF map = mapArea();
    return width() < leastWithProfile ? QRectF()
                                      : QRectF(map.right() + space::s, map.top(), profileWidth, map.height());
}

QRectF HeatMapView::cellArea(const Cell& cell) const
{
    const QRectF map = mapArea();
    const double w = map.width() / static_cast<double>(m_cells.steps);
    const double h = map.height() / static_cast<double>(m_cells.width);
    return QRectF(map.left() + static_cast<double>(cell.step) * w,
                  map.top() + static_cast<double>(rowOf(cell.unit)) * h, w, h);
}

void HeatMapView::remakeImage(const QSize& device)
{
    if (m_imageFor == device)
        return;
    m_imageFor = device;
    ++m_picturesMade;
    const QRgb missing = m_appearance.theme()[Theme::Role::HeatMissing].rgb();
    const HeatCells placed = m_order == UnitOrder::Index ? m_cells : inRows(m_cells, m_rows);
    m_image = heatImage(reduced(placed, device.width(), device.height()), m_scale, colours(), missing);
}

void HeatMapView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRectF map = mapArea();
    if (isEmpty() || map.width() < 8 || map.height() < 8)
        return;
    remakeImage((map.size() * devicePixelRatioF()).toSize());
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(map, m_image);
    painter.setPen(m_appearance.theme()[Theme::Role::HeatFrame]);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(map.adjusted(-0.5, -0.5, 0.5, 0.5));
    painter.setFont(m_appearance.font(Type::Caption));
    m_cells.heads > 0 ? paintHeads(painter, map) : paintUnits(painter, map);
    paintLookedAt(painter);
    m_frame->characters.empty() ? paintSteps(painter, map) : paintCharacters(painter, map);
    paintBar(painter, map);
    paintProfile(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    paintMarked(painter);
    paintHovered(painter, map);
    if (hasFocus()) {
        painter.setPen(QPen(m_appearance.theme()[Theme::Role::Focus], 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void HeatMapView::paintUnits(QPainter& painter, const QRectF& map) const
{
    const QFontMetricsF text(painter.font());
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    const double cell = map.height() / static_cast<double>(m_cells.width);
    const int wanted = std::max(2, static_cast<int>(map.height() / (2.5 * text.height())));
    for (const auto& tick : linearTicks(0, static_cast<double>(m_cells.width - 1), wanted)) {
        if (tick.value != std::floor(tick.value))
            continue;
        const double at = map.top() + (tick.value + 0.5) * cell;
        painter.drawText(QRectF(0, at - text.height() / 2, map.left() - 6, text.height()),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(m_rows[static_cast<std::size_t>(tick.value)]));
    }
}

/// The number of each head beside its rows, and a line between two heads.
void HeatMapView::paintHeads(QPainter& painter, const QRectF& map) const
{
    const QFontMetricsF text(painter.font());
    const double block = map.height() / static_cast<double>(m_cells.heads);
    const auto every = static_cast<std::int64_t>(std::ceil(text.height() / block));
    for (std::int64_t head = 0; head < m_cells.heads; ++head) {
        const double top = map.top() + static_cast<double>(head) * block;
        painter.setPen(m_appearance.theme()[Theme::Role::HeatFrame]);
        if (head > 0)
            painter.drawLine(QPointF(map.left(), top), QPointF(map.right(), top));
        painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
        if (head % every == 0)
            painter.drawText(QRectF(0, top + (block - text.height()) / 2, map.left() - 6, text.height()),
                             Qt::AlignRight | Qt::AlignVCenter, QString::number(head + 1));
    }
}

/// Of attention: behind each step's character a ground as strong as the weight that the head pointed at gives it, on the scale of the map.
void HeatMapView::paintLookedAt(QPainter& painter) const
{
    const auto cell = pointed();
    if (m_cells.heads == 0 || !cell)
        return;
    const QRectF area = charactersArea();
    const double width = area.width() / static_cast<double>(m_cells.steps);
    const std::int64_t first = cell->unit / m_cells.steps * m_cells.steps;
    QColor ground = m_appearance.theme()[Theme::Role::ChartTrain];
    for (std::int64_t t = 0; t < m_cells.steps; ++t) {
        const float weight = m_cells.at(cell->step, first + t);
        if (!std::isfinite(weight))
            continue;
        ground.setAlphaF(std::clamp(weight / m_scale.high, 0.0f, 1.0f));
        painter.fillRect(QRectF(area.left() + static_cast<double>(t) * width, area.top() + 1, width, area.height() - 3),
                         ground);
    }
}

/// Where numbers were read: their place in time.
void HeatMapView::paintSteps(QPainter& painter, const QRectF& map) const
{
    const QFontMetricsF text(painter.font());
    const double cell = map.width() / static_cast<double>(m_cells.steps);
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    const int wanted = std::max(2, static_cast<int>(map.width() / (6 * text.height())));
    for (const auto& tick : linearTicks(1, static_cast<double>(m_cells.steps), wanted)) {
        if (tick.value != std::floor(tick.value))
            continue;
        const double at = map.left() + (tick.value - 0.5) * cell;
        painter.drawText(QRectF(at - 3 * text.height(), map.bottom() + labelGap, 6 * text.height(), text.height()),
                         Qt::AlignCenter, QString::number(tick.value));
    }
    painter.drawText(QRectF(0, map.bottom() + labelGap, map.left() - 6, text.height()),
                     Qt::AlignRight | Qt::AlignVCenter, tr("step"));
}

/// Where the width, the fonts or the labels are others. The height of the map hangs on how many lines they take.
void HeatMapView::layOutLabels()
{
    std::vector<QString> labels;
    if (!isEmpty())
        for (const std::string& character : m_frame->characters)
            labels.push_back(QString::fromStdString(character));
    m_labels = ColumnLabels::of(labels, m_cells.steps, mapArea().width(), m_appearance.font(Type::Mono));
    m_labelLine = QFontMetricsF(m_labels.font).height();
}

void HeatMapView::paintCharacters(QPainter& painter, const QRectF& map) const
{
    painter.save();
    painter.setFont(m_labels.font);
    painter.setPen(m_appearance.theme()[Theme::Role::Text]);
    for (const ColumnLabels::Label& label : m_labels.labels)
        painter.drawText(labelArea(label), Qt::AlignCenter | Qt::TextDontClip,
                         QString::fromStdString(m_frame->characters[static_cast<std::size_t>(label.column)]));
    painter.restore();
    const QFontMetricsF text(painter.font());
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    painter.drawText(QRectF(0, map.bottom() + labelGap, map.left() - 6, text.height()),
                     Qt::AlignRight | Qt::AlignVCenter, m_cells.heads > 0 ? tr("head") : tr("unit"));
    if (m_labels.every > 1)
        painter.drawText(QRectF(map.left(), map.bottom() + labelGap + std::max(text.height(), m_labelLine), map.width(),
                                text.height()),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, tr("1 in %1 shown").arg(m_labels.every));
}

QRectF HeatMapView::labelArea(const ColumnLabels::Label& label) const
{
    const QRectF map = mapArea();
    return QRectF(map.left() + label.left, map.bottom() + labelGap + label.line * m_labelLine, label.width,
                  m_labelLine);
}

void HeatMapView::paintBar(QPainter& painter, const QRectF& map) const
{
    const double room = profileArea().isEmpty() ? 0 : profileArea().width() + space::s;
    const QRectF bar(map.right() + room + space::l, map.top(), barWidth, map.height());
    QImage strip(1, 256, QImage::Format_RGB32);
    for (int i = 0; i < 256; ++i)
        strip.setPixel(0, 255 - i, colours()[i]);
    painter.drawImage(bar, strip);
    painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5));
    const QFontMetricsF text(painter.font());
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    const int parts = map.height() > 6 * text.height() ? 4 : 2;
    for (int i = 0; i <= parts; ++i) {
        const double share = static_cast<double>(i) / parts;
        const float value = m_scale.low + static_cast<float>(share) * (m_scale.high - m_scale.low);
        const double at = std::clamp(bar.bottom() - share * bar.height(), bar.top() + text.height() / 2 - 2,
                                     bar.bottom() - text.height() / 2 + 2);
        painter.drawText(QRectF(bar.right() + 5, at - text.height() / 2, width() - bar.right() - 5, text.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, number(value));
    }
}

/// The values of the step that is pointed at, in the order of the rows: from zero to the right or to the left.
void HeatMapView::paintProfile(QPainter& painter) const
{
    const QRectF area = profileArea();
    if (area.isEmpty())
        return;
    const Theme& theme = m_appearance.theme();
    const auto place = [&](float value) {
        const float share = std::clamp((value - m_scale.low) / (m_scale.high - m_scale.low), 0.0f, 1.0f);
        return area.left() + static_cast<double>(share) * area.width();
    };
    const double zero = place(0);
    painter.setPen(theme[Theme::Role::HeatFrame]);
    painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5));
    const auto cell = pointed();
    if (!cell)
        return paintProfileHint(painter, area);
    painter.setPen(theme[Theme::Role::Crosshair]);
    painter.drawLine(QPointF(zero, area.top()), QPointF(zero, area.bottom()));
    const HeatCells column = columnAt(cell->step, static_cast<std::int64_t>(area.height()));
    const double height = area.height() / static_cast<double>(column.width);
    QVector<QRectF> bars, holes;
    for (std::int64_t row = 0; row < column.width; ++row) {
        const float value = column.at(0, row);
        const double top = area.top() + static_cast<double>(row) * height;
        const double thick = height > 4 ? height - 1 : height;
        if (std::isfinite(value))
            bars << QRectF(QPointF(zero, top), QSizeF(place(value) - zero, thick)).normalized();
        else
            holes << QRectF(area.left(), top, area.width(), thick);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme[Theme::Role::ChartTrain]);
    painter.drawRects(bars);
    painter.setBrush(theme[Theme::Role::HeatMissing]);
    painter.drawRects(holes);
}

/// What will be there, upright, where there is room for all of it.
void HeatMapView::paintProfileHint(QPainter& painter, const QRectF& area) const
{
    const QString words = readsCharacters(*m_frame) ? tr("values at one character") : tr("values at one step");
    if (QFontMetricsF(painter.font()).horizontalAdvance(words) > area.height())
        return;
    painter.save();
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    painter.translate(area.center());
    painter.rotate(-90);
    painter.drawText(QRectF(-area.height() / 2, -area.width() / 2, area.height(), area.width()), Qt::AlignCenter,
                     words);
    painter.restore();
}

/// One step in the order of the rows, in at most `rows` of them.
HeatCells HeatMapView::columnAt(std::int64_t step, std::int64_t rows) const
{
    HeatCells column{1, m_cells.width, {}, 0};
    for (const std::int64_t unit : m_rows)
        column.values.push_back(m_cells.at(step, unit));
    return reduced(column, 1, rows);
}

void HeatMapView::paintHovered(QPainter& painter, const QRectF& map) const
{
    if (!m_hovered)
        return;
    QRectF cell = cellArea(*m_hovered);
    const QPointF centre = cell.center();
    QColor guide = m_appearance.theme()[Theme::Role::Text];
    guide.setAlpha(70);
    painter.setPen(guide);
    painter.drawLine(QPointF(centre.x(), map.top()), QPointF(centre.x(), map.bottom()));
    painter.drawLine(QPointF(map.left(), centre.y()), QPointF(map.right(), centre.y()));
    cell.setSize({std::max(cell.width(), 6.0), std::max(cell.height(), 6.0)});
    cell.moveCenter(centre);
    painter.setPen(QPen(m_appearance.theme()[Theme::Role::Accent], 1.6));
    painter.drawRect(cell);
}

/// The column with its character, and the cell. A light and a dark line each, so that they show on every colour of the map.
void HeatMapView::paintMarked(QPainter& painter) const
{
    const auto place = marked();
    if (!place)
        return;
    QRectF cell = cellArea(*place);
    const QPointF centre = cell.center();
    const double half = std::max(cell.width(), 3.0) / 2;
    const QRectF column(QPointF(centre.x() - half, mapArea().top()),
                        QPointF(centre.x() + half, charactersArea().bottom() - 2));
    cell.setSize({std::max(cell.width(), 6.0), std::max(cell.height(), 6.0)});
    cell.moveCenter(centre);
    for (const auto& [role, width] : {std::pair{Theme::Role::Panel, 3.5}, {Theme::Role::Text, 1.5}}) {
        painter.setPen(QPen(m_appearance.theme()[role], width));
        painter.drawRect(column);
        painter.drawRect(cell);
    }
}

} // namespace unroll
