// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/unit_stats/unit_bars.h"

#include "app/studio/plot/axis_range.h"
#include "app/studio/plot/ticks.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace unroll {

namespace {

constexpr double widestCap = 8; ///< of a whisker, pixels
constexpr double leastSlot = 4; ///< pixels; below, bars touch and whiskers have no caps

/// Four digits.
QString valueText(double value)
{
    return std::isfinite(value) ? QString::number(value, 'g', 4).replace('-', QChar(0x2212)) : UnitBars::tr("n/a");
}

} // namespace

UnitBars::UnitBars(const Appearance& appearance, QWidget* parent) : QWidget(parent), m_appearance(appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Units' mean and deviation"));
    connect(&appearance, &Appearance::changed, this, &UnitBars::layOut);
}

void UnitBars::setStats(std::shared_ptr<const UnitStatsData> stats)
{
    m_stats = std::move(stats);
    fitAxis();
    layOut();
    point(m_pointed);
}

/// Zero, all bars and all whiskers are on it.
void UnitBars::fitAxis()
{
    double low = 0, high = 0;
    for (const UnitStats& unit : m_stats->units)
        if (unit.count > 0) {
            low = std::min(low, unit.mean - unit.deviation);
            high = std::max(high, unit.mean + unit.deviation);
        }
    std::tie(m_low, m_high) = low < high ? padded(low, high) : std::pair(0.0, 1.0);
}

std::optional<std::size_t> UnitBars::pointed() const
{
    return m_pointed && *m_pointed < count() ? m_pointed : std::nullopt;
}

void UnitBars::point(std::optional<std::size_t> place)
{
    m_pointed = place;
    setAccessibleDescription(words());
    update();
}

QString UnitBars::words() const
{
    if (!m_stats)
        return {};
    const QString steps = countText(m_stats->steps);
    if (const auto place = pointed()) {
        const UnitStats& unit = m_stats->units[*place];
        if (unit.count == 0)
            return tr("unit %1: n/a, none of its %2 values is finite").arg(unit.unit).arg(steps);
        const QString over = unit.count == m_stats->steps ? steps : tr("%1 of %2").arg(countText(unit.count), steps);
        return (m_stats->moduli ? tr("unit %1: mean modulus %2, std %3, over %4 steps")
                                : tr("unit %1: mean %2, std %3, over %4 steps"))
            .arg(unit.unit)
            .arg(valueText(unit.mean), valueText(unit.deviation), over);
    }
    const QString all = tr("mean of %1 units over %2 steps, ± one standard deviation")
                            .arg(countText(std::ssize(m_stats->units)), steps);
    return m_stats->missing == 0 ? all : tr("%1  ·  %2 values are not finite").arg(all, countText(m_stats->missing));
}

/// Beside the bars there is room for the numbers of their axis, below for the units', above for the line of words.
void UnitBars::layOut()
{
    const QFontMetricsF letters(m_appearance.font(Type::Caption));
    const double above = QFontMetricsF(font()).height() + 2 * space::s;
    const double below = letters.height() + space::xs + space::s;
    m_ticks = std::max(2, static_cast<int>((height() - above - below) / (3 * letters.height())));
    double widest = 0;
    for (const Tick& tick : linearTicks(m_low, m_high, m_ticks))
        widest = std::max(widest, letters.horizontalAdvance(tick.label));
    m_area = QRectF(rect()).adjusted(space::m + widest + space::s, above, -space::m, -below);
    update();
}

void UnitBars::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

double UnitBars::yOf(double value) const
{
    return m_area.bottom() - (value - m_low) / (m_high - m_low) * m_area.height();
}

QRectF UnitBars::barArea(std::size_t place) const
{
    const UnitStats& unit = m_stats->units[place];
    if (unit.count == 0)
        return {};
    const double wide = slot(), gap = wide < leastSlot ? 0 : wide * 0.15;
    const double left = m_area.left() + static_cast<double>(place) * wide + gap;
    return QRectF(QPointF(left, yOf(0)), QPointF(left + wide - 2 * gap, yOf(unit.mean))).normalized();
}

QLineF UnitBars::whisker(std::size_t place) const
{
    const UnitStats& unit = m_stats->units[place];
    if (unit.count == 0)
        return {};
    const double x = m_area.left() + (static_cast<double>(place) + 0.5) * slot();
    return {x, yOf(unit.mean - unit.deviation), x, yOf(unit.mean + unit.deviation)};
}

void UnitBars::paintEvent(QPaintEvent*)
{
    if (!m_stats)
        return;
    QPainter painter(this);
    const Theme& theme = m_appearance.theme();
    const QRectF line(space::m, space::s, width() - 2 * space::m, QFontMetricsF(font()).height());
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(words(), Qt::ElideRight, static_cast<int>(line.width())));
    if (m_area.height() <= 0 || m_area.width() <= 0)
        return;
    paintAxes(painter);
    paintBars(painter);
    if (hasFocus()) {
        painter.setPen(theme[Theme::Role::Focus]);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(m_area);
    }
}

void UnitBars::paintAxes(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    const QRectF& area = m_area;
    painter.setFont(m_appearance.font(Type::Caption));
    const double letters = QFontMetricsF(painter.font()).height();
    for (const Tick& tick : linearTicks(m_low, m_high, m_ticks)) {
        const double y = yOf(tick.value);
        painter.setPen(theme[Theme::Role::ChartGrid]);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(theme[Theme::Role::TextDim]);
        painter.drawText(QRectF(0, y - letters, area.left() - space::s, 2 * letters), Qt::AlignRight | Qt::AlignVCenter,
                         tick.label);
    }
    painter.setPen(theme[Theme::Role::ChartAxis]);
    painter.drawLine(QPointF(area.left(), yOf(0)), QPointF(area.right(), yOf(0)));
    paintUnitLabels(painter);
}

/// The units' indices below round places, as many as have room.
void UnitBars::paintUnitLabels(QPainter& painter) const
{
    const QRectF& area = m_area;
    const QFontMetricsF letters(painter.font());
    const double wide = letters.horizontalAdvance(QString::number(count())) + 2 * space::s;
    const double last = static_cast<double>(count() - 1);
    std::vector<Tick> places{{0, {}}};
    if (count() > 1)
        places =
            linearTicks(0, last, std::max(2, static_cast<int>(area.width() / (2 * wide)))); // twice as many at most
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    for (const Tick& tick : places) {
        if (tick.value != std::floor(tick.value)) // between two units
            continue;
        const double x = area.left() + (tick.value + 0.5) * slot();
        painter.drawText(QRectF(x - wide, area.bottom() + space::xs, 2 * wide, letters.height()), Qt::AlignCenter,
                         QString::number(m_stats->units[static_cast<std::size_t>(tick.value)].unit));
    }
}

void UnitBars::paintBars(QPainter& painter) const
{
    const Theme& theme = m_appearance.theme();
    const double cap = slot() < leastSlot ? 0 : std::min(widestCap, slot() * 0.4) / 2;
    if (const auto place = pointed()) {
        const QRectF& area = m_area;
        painter.fillRect(QRectF(area.left() + static_cast<double>(*place) * slot(), area.top(), slot(), area.height()),
                         theme[Theme::Role::Hover]);
    }
    for (std::size_t place = 0; place < count(); ++place)
        painter.fillRect(barArea(place), theme[Theme::Role::ChartTrain]);
    painter.setPen(theme[Theme::Role::Text]);
    for (std::size_t place = 0; place < count(); ++place) {
        const QLineF line = whisker(place);
        if (m_stats->units[place].count == 0)
            continue;
        painter.drawLine(line);
        for (const QPointF& end : {line.p1(), line.p2()})
            painter.drawLine(end - QPointF(cap, 0), end + QPointF(cap, 0));
    }
}

void UnitBars::mouseMoveEvent(QMouseEvent* event)
{
    const QRectF& area = m_area;
    if (count() == 0 || !area.contains(event->position()))
        return point({});
    const auto place = static_cast<std::size_t>((event->position().x() - area.left()) / slot());
    point(std::min(place, count() - 1));
}

void UnitBars::leaveEvent(QEvent*)
{
    point({});
}

/// Where a key leads from the place that is pointed at; nothing: it is not for the bars.
std::optional<std::size_t> UnitBars::moved(int key) const
{
    if (count() == 0)
        return {};
    const auto from = pointed();
    switch (key) {
    case Qt::Key_Left: return from && *from > 0 ? *from - 1 : 0;
    case Qt::Key_Right: return from ? std::min(*from + 1, count() - 1) : 0;
    case Qt::Key_Home: return 0;
    case Qt::Key_End: return count() - 1;
    default: return {};
    }
}

/// Its keys are no shortcuts of the window's.
bool UnitBars::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto& key = *static_cast<QKeyEvent*>(event);
        if (key.modifiers() == Qt::NoModifier && moved(key.key())) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void UnitBars::keyPressEvent(QKeyEvent* event)
{
    if (const auto place = event->modifiers() == Qt::NoModifier ? moved(event->key()) : std::nullopt)
        point(place);
    else if (event->key() == Qt::Key_Escape && pointed())
        point({});
    else
        QWidget::keyPressEvent(event);
}

} // namespace unroll
