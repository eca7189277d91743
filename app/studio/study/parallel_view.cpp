// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/parallel_view.h"

#include "app/studio/study/parallel_painter.h"
#include "app/studio/theme/appearance.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

namespace unroll {

ParallelView::ParallelView(const Appearance& appearance, QWidget* parent) : QWidget(parent), m_appearance(appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Parallel coordinates"));
    connect(&appearance, &Appearance::changed, this, &ParallelView::layOut);
}

void ParallelView::setPlot(const StudyPlot& plot, const StudyWatch& watch)
{
    const auto before = m_pointed && m_plot.results() != nullptr && *m_pointed < m_plot.results()->trials.size()
                            ? std::optional(m_plot.results()->trials[*m_pointed].number)
                            : std::nullopt;
    m_plot = plot;
    m_watch = watch;
    m_pointed = m_plot.indexOf(before);
    m_axis = std::min(m_axis, m_plot.valueAxis());
    updateGeometry();
    layOut();
}

QSize ParallelView::sizeHint() const
{
    return {std::max(420, minimumSizeHint().width()), 260};
}

QSize ParallelView::minimumSizeHint() const
{
    const auto axes = static_cast<double>(m_plot.results() != nullptr ? m_plot.axisCount() : 1);
    return {static_cast<int>(ParallelPlaces::kLeastAxis * axes) + 24, 72};
}

void ParallelView::layOut()
{
    m_picture = {};
    if (m_plot.results() != nullptr)
        m_places.layOut(QSizeF(size()), QFontMetricsF(m_appearance.font(Type::Caption)), m_plot.axisCount());
    update();
}

void ParallelView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void ParallelView::paintEvent(QPaintEvent*)
{
    if (m_plot.results() == nullptr)
        return;
    const double ratio = devicePixelRatioF();
    if (m_picture.isNull() || m_picture.devicePixelRatio() != ratio) {
        m_picture = QPixmap((QSizeF(size()) * ratio).toSize());
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(m_appearance.theme()[Theme::Role::Panel]);
        QPainter painter(&m_picture);
        ParallelPainter trials(painter, m_plot, m_places, m_appearance);
        trials.paintLines();
        if (const auto held = m_plot.indexOf(m_watch.chosen))
            trials.paintLine(*held, true);
        trials.paintAxes(m_watch);
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_picture);
    ParallelPainter hand(painter, m_plot, m_places, m_appearance);
    if (m_pointed)
        hand.paintLine(*m_pointed, false);
    if (!hasFocus())
        return;
    hand.paintCursor(m_axis, m_at);
    painter.setPen(QPen(m_appearance.theme()[Theme::Role::Focus], 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(2, 1, -2, -1), 4, 4);
}

QString ParallelView::shownText() const
{
    return m_pointed ? m_plot.trialText(*m_pointed) : QString();
}

void ParallelView::point(std::optional<std::size_t> trial)
{
    if (trial == m_pointed)
        return;
    m_pointed = trial;
    setAccessibleDescription(shownText());
    Q_EMIT pointedAt(shownText());
    update();
}

void ParallelView::mousePressEvent(QMouseEvent* event)
{
    const auto axis = m_plot.results() != nullptr ? m_places.axisAt(event->position()) : std::nullopt;
    if (event->button() != Qt::LeftButton || !axis)
        return QWidget::mousePressEvent(event);
    const double share = m_places.shareAt(event->position().y());
    const auto brush = m_watch.brushes.find(*axis);
    const bool holds = brush != m_watch.brushes.end() && share >= brush->second.from && share <= brush->second.to;
    m_press = Press{*axis, event->position(), share, holds ? std::optional(brush->second) : std::nullopt};
    m_axis = *axis;
    m_at = share;
    m_anchor.reset();
}

void ParallelView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_plot.results() == nullptr)
        return;
    if (m_press && (event->buttons() & Qt::LeftButton)) {
        m_press->moved = m_press->moved ||
                         std::abs(event->position().y() - m_press->at.y()) >= QApplication::startDragDistance() / 2;
        if (m_press->moved)
            drag(m_places.shareAt(event->position().y()));
        return;
    }
    setCursor(m_places.axisAt(event->position()) ? Qt::SizeVerCursor : Qt::ArrowCursor);
    point(m_places.trialAt(m_plot, event->position()));
}

/// A brush that the hand holds moves as it is; else one is drawn from where the hand began.
void ParallelView::drag(double share)
{
    StudyBrush brush{std::min(share, m_press->from), std::max(share, m_press->from)};
    if (m_press->before) {
        const double by = std::clamp(share - m_press->from, -m_press->before->from, 1 - m_press->before->to);
        brush = {m_press->before->from + by, m_press->before->to + by};
    }
    m_at = share;
    Q_EMIT brushed(m_press->axis, brush);
}

void ParallelView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_plot.results() == nullptr)
        return QWidget::mouseReleaseEvent(event);
    const auto press = std::exchange(m_press, std::nullopt);
    if (press && press->moved)
        return;
    const auto trial = m_places.trialAt(m_plot, event->position());
    if (press && !press->before && m_watch.brushes.contains(press->axis))
        Q_EMIT brushed(press->axis, std::nullopt);
    else
        Q_EMIT chosen(trial ? std::optional(m_plot.results()->trials[*trial].number) : std::nullopt);
}

void ParallelView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const auto trial = m_plot.results() != nullptr ? m_places.trialAt(m_plot, event->position()) : std::nullopt;
    if (event->button() == Qt::LeftButton && trial)
        Q_EMIT openAsked(m_plot.results()->trials[*trial].number);
}

void ParallelView::leaveEvent(QEvent*)
{
    point({});
}

/// Its keys are not shortcuts of the window's.
bool ParallelView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && handle(*static_cast<QKeyEvent*>(event), false)) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void ParallelView::keyPressEvent(QKeyEvent* event)
{
    if (!handle(*event, true))
        QWidget::keyPressEvent(event);
}

/// Whether the key is for the view; does what it says if it is to act.
bool ParallelView::handle(const QKeyEvent& key, bool act)
{
    if (m_plot.results() == nullptr || (key.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) != 0)
        return false;
    const bool shift = key.modifiers() & Qt::ShiftModifier;
    const int all = static_cast<int>(m_plot.axisCount());
    switch (key.key()) {
    case Qt::Key_Left: return !shift && walkAxes(-1, act);
    case Qt::Key_Right: return !shift && walkAxes(1, act);
    case Qt::Key_Home: return !shift && walkAxes(-all, act);
    case Qt::Key_End: return !shift && walkAxes(all, act);
    case Qt::Key_Up: return walkAlong(1, shift, act);
    case Qt::Key_Down: return walkAlong(-1, shift, act);
    case Qt::Key_Space:
        if (act && m_pointed)
            Q_EMIT chosen(m_plot.results()->trials[*m_pointed].number);
        return m_pointed.has_value();
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (act && m_pointed)
            Q_EMIT openAsked(m_plot.results()->trials[*m_pointed].number);
        return m_pointed.has_value();
    case Qt::Key_Escape: return escape(act);
    default: return false;
    }
}

/// The trial that is pointed at stays, and the keyboard stands where its line meets the axis.
bool ParallelView::walkAxes(int by, bool act)
{
    if (!act)
        return true;
    m_axis =
        static_cast<std::size_t>(std::clamp(static_cast<int>(m_axis) + by, 0, static_cast<int>(m_plot.valueAxis())));
    m_anchor.reset();
    if (m_pointed)
        m_at = m_plot.share(*m_pointed, m_axis).value_or(m_at);
    update();
    Q_EMIT shown(QPointF(m_places.axisX(m_axis), m_places.y(m_at)).toPoint());
    return true;
}

double ParallelView::stepOf(std::size_t axis) const
{
    constexpr double kStep = 0.025;
    const std::size_t choices = m_plot.choices(axis).size();
    return choices > 0 ? 1 / static_cast<double>(choices) : kStep;
}

bool ParallelView::walkAlong(int by, bool brushes, bool act)
{
    if (!act)
        return true;
    if (!brushes)
        m_anchor.reset();
    else if (!m_anchor)
        m_anchor = m_at;
    m_at = std::clamp(m_at + by * stepOf(m_axis), 0.0, 1.0);
    if (brushes)
        Q_EMIT brushed(m_axis, StudyBrush{std::min(m_at, *m_anchor), std::max(m_at, *m_anchor)});
    point(nearestOnAxis(m_axis, m_at));
    update();
    return true;
}

std::optional<std::size_t> ParallelView::nearestOnAxis(std::size_t axis, double share) const
{
    std::optional<std::size_t> best;
    double least = 2;
    for (const std::size_t trial : m_plot.results()->ranked()) { // of equals the best
        const auto at = m_plot.isWithin(trial) ? m_plot.share(trial, axis) : std::nullopt;
        if (at && std::abs(*at - share) < least) {
            least = std::abs(*at - share);
            best = trial;
        }
    }
    return best;
}

bool ParallelView::escape(bool act)
{
    const bool here = m_watch.brushes.contains(m_axis);
    if (!here && m_watch.brushes.empty() && !m_watch.chosen)
        return false;
    if (!act)
        return true;
    m_anchor.reset();
    if (here)
        Q_EMIT brushed(m_axis, std::nullopt);
    else if (!m_watch.brushes.empty())
        Q_EMIT brushesCleared();
    else
        Q_EMIT chosen({});
    return true;
}

} // namespace unroll
