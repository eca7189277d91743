// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/unit_lines.h"

#include "app/studio/lenses/state/heat_map_painter.h"
#include "app/studio/plot/ticks.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <utility>

namespace unroll {

UnitLines::UnitLines(const HeatMapData& shown, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_data(shown), m_appearance(appearance), m_places(*this, shown, appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Lines of units"));
    connect(&appearance, &Appearance::changed, this, &UnitLines::refresh);
}

QColor UnitLines::colourOf(std::size_t line) const
{
    return m_appearance.theme()[static_cast<Theme::Role>(static_cast<std::size_t>(Theme::Role::ChartOverlay1) + line)];
}

void UnitLines::setUnits(std::vector<std::int64_t> units)
{
    std::erase_if(units, [&](std::int64_t unit) { return unit < 0 || unit >= m_data.cells().width; });
    units.resize(std::min(units.size(), kMost));
    m_units = std::move(units);
    update();
}

void UnitLines::setStep(std::int64_t step)
{
    m_step = step;
    setAccessibleDescription(m_data.inside(HeatMapCell{step, 0}) && step >= 0 ? wordsAt(step) : QString());
    update();
}

void UnitLines::setSpan(const StepSpan& span)
{
    m_span = span;
    update();
}

void UnitLines::setLabelled(bool labelled)
{
    m_places.setLabelled(labelled);
    refresh();
}

void UnitLines::refresh()
{
    m_places.layOutLabels();
    update();
}

void UnitLines::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void UnitLines::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    refresh();
}

double UnitLines::yOf(float value) const
{
    const HeatScale& scale = m_data.scale();
    const QRectF map = m_places.map();
    const double share = static_cast<double>((value - scale.low) / (scale.high - scale.low));
    return map.bottom() - 4 - share * (map.height() - 8);
}

void UnitLines::paintEvent(QPaintEvent*)
{
    const QRectF map = m_places.map();
    if (m_data.isEmpty() || map.width() < 8 || map.height() < 8)
        return;
    QPainter painter(this);
    painter.setFont(m_appearance.font(Type::Caption));
    paintScale(painter);
    paintSpan(painter);
    painter.save();
    painter.setClipRect(map);
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t line = 0; line < m_units.size(); ++line)
        paintLine(painter, line);
    painter.restore();
    HeatMapPainter(painter, m_data, m_places, m_appearance, {}).paintFoot({});
    paintLegend(painter);
    paintStep(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_appearance.theme()[Theme::Role::Focus], 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void UnitLines::paintScale(QPainter& painter) const
{
    const QRectF map = m_places.map();
    const Theme& theme = m_appearance.theme();
    const QFontMetricsF text(painter.font());
    const HeatScale& scale = m_data.scale();
    const int wanted = std::max(2, static_cast<int>(map.height() / (2.5 * text.height())));
    for (const auto& tick : linearTicks(static_cast<double>(scale.low), static_cast<double>(scale.high), wanted)) {
        const double y = yOf(static_cast<float>(tick.value));
        painter.setPen(theme[tick.value == 0 ? Theme::Role::ChartAxis : Theme::Role::ChartGrid]);
        painter.drawLine(QPointF(map.left(), y), QPointF(map.right(), y));
        painter.setPen(theme[Theme::Role::TextDim]);
        painter.drawText(QRectF(0, y - text.height() / 2, map.left() - 6, text.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    painter.setPen(theme[Theme::Role::HeatFrame]);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(map.adjusted(-0.5, -0.5, 0.5, 0.5));
}

/// Broken where a value is not a number. Of several steps in one pixel the line goes through all of them.
void UnitLines::paintLine(QPainter& painter, std::size_t line) const
{
    const QRectF map = m_places.map();
    const AxisZoom& steps = m_places.steps();
    QPainterPath path;
    bool open = false;
    const std::int64_t last = std::min(m_data.cells().steps - 1, steps.last() + 1);
    for (std::int64_t t = std::max<std::int64_t>(0, steps.first() - 1); t <= last; ++t) {
        const float value = m_data.drawn().at(t, m_units[line]);
        const QPointF at(map.left() + steps.placeOf(t) + steps.cell() / 2, std::isfinite(value) ? yOf(value) : 0);
        if (std::isfinite(value))
            open ? path.lineTo(at) : path.moveTo(at);
        if (std::isfinite(value) && !open) // a value between two gaps is seen too
            path.lineTo(at + QPointF(0.01, 0));
        open = std::isfinite(value);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colourOf(line), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(path);
}

/// Beside the lines: the number of each unit, and its value at the step.
void UnitLines::paintLegend(QPainter& painter) const
{
    const QRectF map = m_places.map();
    const QFontMetricsF text(painter.font());
    const double line = text.height() + 3;
    double y = map.top();
    for (std::size_t i = 0; i < m_units.size() && y + line <= map.bottom() + 1; ++i, y += line) {
        painter.fillRect(QRectF(map.right() + 8, y + line / 2 - 1.5, 12, 3), colourOf(i));
        painter.setPen(m_appearance.theme()[Theme::Role::Text]);
        const QRectF place(map.right() + 25, y, m_places.width() - map.right() - 29, line);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, QString::number(m_units[i]));
        if (m_step < 0 || m_step >= m_data.cells().steps)
            continue;
        const QString value = QString::number(static_cast<double>(m_data.cells().at(m_step, m_units[i])), 'g', 4);
        painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, QString(value).replace('-', QChar(0x2212)));
    }
}

void UnitLines::paintStep(QPainter& painter) const
{
    if (m_step < 0 || m_step >= m_data.cells().steps)
        return;
    const QRectF map = m_places.map();
    const double x = map.left() + m_places.steps().placeOf(m_step) + m_places.steps().cell() / 2;
    if (x < map.left() || x > map.right())
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_appearance.theme()[Theme::Role::Crosshair], 1));
    painter.drawLine(QPointF(x, map.top()), QPointF(x, map.bottom()));
    painter.setPen(QPen(m_appearance.theme()[Theme::Role::Panel], 1.5));
    for (std::size_t i = 0; i < m_units.size(); ++i)
        if (const float value = m_data.drawn().at(m_step, m_units[i]); std::isfinite(value)) {
            painter.setBrush(colourOf(i));
            painter.drawEllipse(QPointF(x, std::clamp(yOf(value), map.top(), map.bottom())), 4, 4);
        }
}

void UnitLines::paintSpan(QPainter& painter) const
{
    if (m_span.isEmpty())
        return;
    const QRectF map = m_places.map();
    const auto edge = [&](std::int64_t step) {
        return std::clamp(map.left() + m_places.steps().placeOf(step), map.left(), map.right());
    };
    const double left = edge(m_span.from), right = edge(std::min(m_span.to, m_data.cells().steps));
    QColor fill = m_appearance.theme()[Theme::Role::Accent];
    painter.setPen(QPen(fill, 1));
    for (const double x : {left, right})
        painter.drawLine(QPointF(x, map.top()), QPointF(x, map.bottom()));
    fill.setAlphaF(0.14f);
    painter.fillRect(QRectF(QPointF(left, map.top()), QPointF(right, map.bottom())), fill);
}

QString UnitLines::wordsAt(std::int64_t step) const
{
    QStringList words;
    for (const std::int64_t unit : m_units)
        words << tr("unit %1: %2")
                     .arg(unit)
                     .arg(QString::number(static_cast<double>(m_data.cells().at(step, unit)), 'g', 4)
                              .replace('-', QChar(0x2212)));
    return m_data.stepText(step) + "  ·  " + words.join(", ");
}

void UnitLines::mouseMoveEvent(QMouseEvent* event)
{
    const auto cell = m_places.at(event->position());
    if (cell && event->buttons() & Qt::LeftButton)
        m_brush.isUnderWay() ? brush(m_brush.to(cell->step)) : stepHeld(cell->step);
    Q_EMIT stepPointed(cell ? cell->step : -1);
    Q_EMIT pointedAt(cell ? wordsAt(cell->step) : QString());
}

void UnitLines::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_data.isEmpty() || !m_places.map().contains(event->position()))
        return;
    const std::int64_t step = m_places.nearest(event->position()).step;
    m_brush.end();
    if (!(event->modifiers() & Qt::ShiftModifier))
        return stepHeld(step);
    m_brush.begin(step);
    brush(m_brush.to(step));
}

void UnitLines::mouseReleaseEvent(QMouseEvent*)
{
    m_brush.end();
}

void UnitLines::leaveEvent(QEvent*)
{
    Q_EMIT stepPointed(-1);
    Q_EMIT pointedAt({});
}

bool UnitLines::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Home || key == Qt::Key_End) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

/// Where a key leads from the current step; nothing: nowhere.
std::optional<std::int64_t> UnitLines::led(const QKeyEvent& event) const
{
    const std::int64_t last = m_data.cells().steps - 1;
    if (last < 0)
        return std::nullopt;
    const std::int64_t pace = m_step < 0 ? 0 : event.modifiers() & Qt::ControlModifier ? 10 : 1;
    const std::int64_t from = std::clamp<std::int64_t>(m_step, 0, last);
    switch (event.key()) {
    case Qt::Key_Left: return std::max<std::int64_t>(0, from - pace);
    case Qt::Key_Right: return std::min(last, from + pace);
    case Qt::Key_Home: return 0;
    case Qt::Key_End: return last;
    default: return std::nullopt;
    }
}

/// Escape lets the step go first, then the span.
void UnitLines::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && (m_step >= 0 || !m_span.isEmpty())) {
        m_brush.end();
        return m_step >= 0 ? released() : brush({});
    }
    const auto step = led(*event);
    if (!step)
        return QWidget::keyPressEvent(event);
    const std::int64_t before = m_step;
    const bool brushes = event->modifiers() & Qt::ShiftModifier;
    if (!brushes)
        m_brush.end();
    Q_EMIT stepHeld(*step);
    if (brushes)
        brush(m_brush.by(before, *step));
}

} // namespace unroll
