// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/heat_map_view.h"

#include "app/studio/charts/ticks.h"
#include "app/studio/lenses/heat_image.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QMouseEvent>
#include <QPainter>
#include <cmath>

namespace unroll {

namespace {

constexpr double barWidth = 12;
constexpr double leastCharacterWidth = 5; ///< px; narrower columns are labelled every second, third ...

QString number(float value)
{
    return QString::number(static_cast<double>(value), 'g', 3).replace('-', QChar(0x2212));
}

} // namespace

HeatMapView::HeatMapView(const Appearance& appearance, QWidget* parent) : QWidget(parent), m_appearance(appearance)
{
    setMouseTracking(true);
    remakeMaps();
    connect(&appearance, &Appearance::changed, this, &HeatMapView::remakeMaps);
}

void HeatMapView::remakeMaps()
{
    m_diverging = ColourMap::diverging(m_appearance.theme().divergingMap());
    m_sequential = ColourMap::sequential(m_appearance.theme().sequentialMap());
    m_imageFor = {};
    update();
}

void HeatMapView::setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index)
{
    m_frame = std::move(frame);
    const bool there = m_frame && index < m_frame->signalFrames.size();
    m_cells = there ? heatCells(m_frame->signalFrames[index]) : HeatCells{};
    if (there)
        m_scale = heatScale(m_frame->signalFrames[index].look, m_cells);
    m_imageFor = {};
    setHovered(m_hovered); // its value is another now
}

QRectF HeatMapView::mapArea() const
{
    const QFontMetricsF text(m_appearance.font(Type::Caption));
    const double left = text.horizontalAdvance("0000") + space::m;
    const double right = barWidth + text.horizontalAdvance(QString(QChar(0x2212)) + "0.00") + space::l + space::m;
    const double bottom = text.height() + space::s;
    return QRectF(left, space::s, width() - left - right, height() - space::s - bottom);
}

void HeatMapView::remakeImage(const QSize& device)
{
    if (m_imageFor == device)
        return;
    m_imageFor = device;
    const QRgb missing = m_appearance.theme()[Theme::Role::HeatMissing].rgb();
    m_image = heatImage(reduced(m_cells, device.width(), device.height()), m_scale, colours(), missing);
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
    paintUnits(painter, map);
    paintCharacters(painter, map);
    paintBar(painter, map);
    painter.setRenderHint(QPainter::Antialiasing);
    paintHovered(painter, map);
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
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
}

void HeatMapView::paintCharacters(QPainter& painter, const QRectF& map) const
{
    const double cell = map.width() / static_cast<double>(m_cells.steps);
    QFont font = m_appearance.font(Type::Mono);
    font.setPixelSize(std::clamp(static_cast<int>(cell * 1.55), 8, font.pixelSize()));
    painter.save();
    painter.setFont(font);
    painter.setPen(m_appearance.theme()[Theme::Role::Text]);
    const auto every = static_cast<std::int64_t>(std::ceil(leastCharacterWidth / cell));
    const double width = std::max(cell * static_cast<double>(every), 14.0);
    for (std::int64_t t = 0; t < m_cells.steps; t += every) {
        const auto i = static_cast<std::size_t>(t);
        if (i >= m_frame->characters.size())
            break;
        const double centre = map.left() + (static_cast<double>(t) + 0.5) * cell;
        painter.drawText(QRectF(centre - width / 2, map.bottom() + 3, width, QFontMetricsF(font).height()),
                         Qt::AlignCenter, QString::fromStdString(m_frame->characters[i]));
    }
    painter.restore();
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    painter.drawText(QRectF(0, map.bottom() + 3, map.left() - 6, QFontMetricsF(painter.font()).height()),
                     Qt::AlignRight | Qt::AlignVCenter, tr("unit"));
}

void HeatMapView::paintBar(QPainter& painter, const QRectF& map) const
{
    const QRectF bar(map.right() + space::l, map.top(), barWidth, map.height());
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

void HeatMapView::paintHovered(QPainter& painter, const QRectF& map) const
{
    if (!m_hovered)
        return;
    const double w = map.width() / static_cast<double>(m_cells.steps);
    const double h = map.height() / static_cast<double>(m_cells.width);
    QRectF cell(map.left() + static_cast<double>(m_hovered->step) * w,
                map.top() + static_cast<double>(m_hovered->unit) * h, w, h);
    QColor guide = m_appearance.theme()[Theme::Role::Text];
    guide.setAlpha(70);
    painter.setPen(guide);
    painter.drawLine(QPointF(cell.center().x(), map.top()), QPointF(cell.center().x(), map.bottom()));
    painter.drawLine(QPointF(map.left(), cell.center().y()), QPointF(map.right(), cell.center().y()));
    const QPointF centre = cell.center();
    cell.setSize({std::max(w, 6.0), std::max(h, 6.0)});
    cell.moveCenter(centre);
    painter.setPen(QPen(m_appearance.theme()[Theme::Role::Accent], 1.6));
    painter.drawRect(cell);
}

std::optional<HeatMapView::Cell> HeatMapView::cellAt(const QPointF& position) const
{
    const QRectF map = mapArea();
    if (isEmpty() || !map.contains(position))
        return std::nullopt;
    const auto index = [](double share, std::int64_t count) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(share * static_cast<double>(count)), 0, count - 1);
    };
    return Cell{index((position.x() - map.left()) / map.width(), m_cells.steps),
                index((position.y() - map.top()) / map.height(), m_cells.width)};
}

QString HeatMapView::describe(const Cell& cell) const
{
    const auto step = static_cast<std::size_t>(cell.step);
    const QString character =
        step < m_frame->characters.size() ? QString::fromStdString(m_frame->characters[step]) : QString();
    const float value = m_cells.at(cell.step, cell.unit);
    const QString words = std::isfinite(value)
                              ? QString::number(static_cast<double>(value), 'g', 4).replace('-', QChar(0x2212))
                              : tr("not a number");
    return tr("“%1” at %2, unit %3:  %4").arg(character).arg(cell.step).arg(cell.unit).arg(words);
}

void HeatMapView::setHovered(std::optional<Cell> cell)
{
    const bool inside = cell && cell->step < m_cells.steps && cell->unit < m_cells.width;
    m_hovered = inside ? cell : std::nullopt;
    Q_EMIT hovered(m_hovered ? describe(*m_hovered) : QString());
    update();
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event)
{
    setHovered(cellAt(event->position()));
}

void HeatMapView::leaveEvent(QEvent*)
{
    setHovered(std::nullopt);
}

} // namespace unroll
