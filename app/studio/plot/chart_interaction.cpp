// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/chart_interaction.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

constexpr double kNotch = 1.25;    ///< zoom of one wheel notch or key
constexpr double kStride = 0.1;    ///< share of the plot that a key moves
constexpr double kReadStep = 0.01; ///< share of the plot that a key reads on
constexpr double kSmallestBox = 5; ///< px: less is a slip of the hand

} // namespace

ChartInteraction::ChartInteraction(QWidget& surface, QWidget& keys, const ChartPicture& picture,
                                   std::function<QRectF()> plot)
    : m_surface(surface), m_keys(keys), m_picture(picture), m_plot(std::move(plot))
{
    surface.installEventFilter(this);
    keys.installEventFilter(this);
}

bool ChartInteraction::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_keys)
        return event->type() == QEvent::KeyPress && key(*static_cast<QKeyEvent*>(event));
    switch (event->type()) {
    case QEvent::MouseButtonPress: return press(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove: return move(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease: return release(*static_cast<QMouseEvent*>(event));
    case QEvent::Wheel: return wheel(*static_cast<QWheelEvent*>(event));
    case QEvent::MouseButtonDblClick: Q_EMIT fitAsked(); return true;
    case QEvent::Leave:
        m_read.reset();
        Q_EMIT left();
        return false;
    default: return false;
    }
}

double ChartInteraction::shareX(double pixel) const
{
    return (pixel - m_plot().left()) / m_plot().width();
}

double ChartInteraction::shareY(double pixel) const
{
    return (m_plot().bottom() - pixel) / m_plot().height();
}

QRectF ChartInteraction::box(const QPointF& to) const
{
    return QRectF(m_from, to).normalized() & m_plot();
}

bool ChartInteraction::press(const QMouseEvent& event)
{
    const bool takes = event.button() == Qt::LeftButton || event.button() == Qt::MiddleButton;
    if (!takes || !m_plot().contains(event.position()))
        return false;
    m_doing = event.modifiers() & Qt::ShiftModifier ? Doing::Boxing : Doing::Pressed;
    m_from = event.position();
    m_x = m_picture.x;
    m_y = m_picture.y;
    m_keys.setFocus(Qt::MouseFocusReason);
    return true;
}

bool ChartInteraction::move(const QMouseEvent& event)
{
    const QPointF at = event.position();
    if (m_doing == Doing::Nothing) {
        point(at);
        return false;
    }
    const QPointF way = at - m_from;
    if (m_doing == Doing::Boxing)
        Q_EMIT boxChanged(box(at));
    else if (m_doing == Doing::Moving || way.manhattanLength() >= QApplication::startDragDistance()) {
        if (m_doing == Doing::Pressed)
            Q_EMIT left();
        m_doing = Doing::Moving;
        m_surface.setCursor(Qt::ClosedHandCursor);
        Q_EMIT viewAsked(m_x.moved(-way.x() / m_plot().width()), m_y.moved(way.y() / m_plot().height()));
    }
    return true;
}

bool ChartInteraction::release(const QMouseEvent& event)
{
    const Doing done = std::exchange(m_doing, Doing::Nothing);
    m_surface.unsetCursor();
    if (done != Doing::Boxing)
        return done != Doing::Nothing;
    const QRectF wanted = box(event.position());
    Q_EMIT boxChanged({});
    if (wanted.width() >= kSmallestBox && wanted.height() >= kSmallestBox)
        Q_EMIT viewAsked(m_picture.x.between(shareX(wanted.left()), shareX(wanted.right())),
                         m_picture.y.between(shareY(wanted.bottom()), shareY(wanted.top())));
    return true;
}

void ChartInteraction::point(const QPointF& at)
{
    if (!m_plot().contains(at)) {
        m_read.reset();
        Q_EMIT left();
        return;
    }
    m_read = shareX(at.x());
    Q_EMIT hovered(m_picture.x.valueAt(*m_read));
}

void ChartInteraction::readAlong(double share)
{
    m_read = std::clamp(m_read.value_or(share > 0 ? 0 : 1) + share, 0.0, 1.0);
    Q_EMIT hovered(m_picture.x.valueAt(*m_read));
}

void ChartInteraction::shift(double shareX, double shareY)
{
    Q_EMIT viewAsked(m_picture.x.moved(shareX), m_picture.y.moved(shareY));
}

void ChartInteraction::zoom(const QPointF& about, double factorX, double factorY)
{
    Q_EMIT viewAsked(m_picture.x.zoomed(shareX(about.x()), factorX), m_picture.y.zoomed(shareY(about.y()), factorY));
}

/// With Shift some systems turn the wheel sideways.
bool ChartInteraction::wheel(const QWheelEvent& event)
{
    const bool shifted = event.modifiers() & Qt::ShiftModifier;
    const QPoint turned = event.angleDelta();
    const QRectF plot = m_plot();
    const QPointF at = event.position();
    if (turned.y() == 0 && !shifted) {
        shift(-turned.x() / plot.width(), 0);
        return true;
    }
    const double factor = std::pow(kNotch, (turned.y() != 0 ? turned.y() : turned.x()) / 120.0);
    const bool besideY = at.x() < plot.left();
    const bool besideX = at.y() > plot.bottom();
    zoom(at, besideY ? 1 : factor, besideX || shifted ? 1 : factor);
    return true;
}

bool ChartInteraction::key(const QKeyEvent& event)
{
    const bool shifted = event.modifiers() & Qt::ShiftModifier;
    const QRectF plot = m_plot();
    const QPointF about(plot.left() + m_read.value_or(0.5) * plot.width(), plot.center().y());
    switch (event.key()) {
    case Qt::Key_Left: shifted ? shift(-kStride, 0) : readAlong(-kReadStep); return true;
    case Qt::Key_Right: shifted ? shift(kStride, 0) : readAlong(kReadStep); return true;
    case Qt::Key_Up: shift(0, kStride); return true;
    case Qt::Key_Down: shift(0, -kStride); return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(about, kNotch, kNotch); return true;
    case Qt::Key_Minus: zoom(about, 1 / kNotch, 1 / kNotch); return true;
    case Qt::Key_Home: Q_EMIT fitAsked(); return true;
    case Qt::Key_Escape:
        m_read.reset();
        Q_EMIT left();
        return true;
    default: return false;
    }
}

} // namespace unroll
