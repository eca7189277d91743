// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_view.h"

#include "app/studio/lenses/state/heat_map_keys.h"
#include "app/studio/lenses/state/heat_map_painter.h"
#include "app/studio/theme/appearance.h"

#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

constexpr double kZoomStep = 1.25;

} // namespace

HeatMapView::HeatMapView(const Appearance& appearance, QWidget* parent)
    : QWidget(parent),
      m_appearance(appearance),
      m_places(*this, m_data, appearance),
      m_picture(appearance),
      m_scroll(new QScrollBar(Qt::Vertical, this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Heat map"));
    m_scroll->setFocusPolicy(Qt::NoFocus); // the arrows move the mark, and what is seen goes along
    m_scroll->hide();
    m_places.layOutLabels();
    connect(m_scroll, &QScrollBar::valueChanged, this, [this](int value) {
        m_places.rows().scrollTo(value);
        update();
    });
    connect(&appearance, &Appearance::changed, this, [this] {
        m_picture.themeChanged();
        m_still = {};
        changed();
    });
}

/// What is drawn is another.
void HeatMapView::forget()
{
    m_picture.forget();
    m_still = {};
}

/// What is seen of the rows or the steps, or how they are drawn.
void HeatMapView::changed()
{
    m_still = {};
    m_places.layOutLabels();
    placeScroll();
    update();
}

void HeatMapView::placeScroll()
{
    const AxisZoom& rows = m_places.rows();
    const bool part = !isEmpty() && rows.isPart();
    m_scroll->setVisible(part);
    if (!part)
        return;
    const QSignalBlocker quiet(m_scroll);
    m_scroll->setGeometry(m_places.scrollBar().toRect());
    m_scroll->setPageStep(static_cast<int>(rows.room()));
    m_scroll->setSingleStep(static_cast<int>(std::max(8.0, rows.cell())));
    m_scroll->setMaximum(static_cast<int>(rows.content() - rows.room() + 0.5));
    m_scroll->setValue(static_cast<int>(rows.offset()));
}

void HeatMapView::setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index)
{
    const bool continued = m_data.setFrame(std::move(frame), index);
    forget();
    if (!continued) {
        m_places.layOutLabels();
        reorder();
        placeScroll();
    }
    Q_EMIT canReorderChanged(m_data.canReorder());
    setHovered(m_hovered); // its value is another now
}

void HeatMapView::setOrder(UnitOrder order)
{
    m_data.setOrder(order);
    forget();
    update();
}

void HeatMapView::reorder()
{
    setOrder(m_data.order());
}

void HeatMapView::setRows(std::vector<std::int64_t> rows)
{
    m_data.setRows(std::move(rows));
    forget();
    update();
}

void HeatMapView::setUnitScale(UnitScale scale)
{
    m_data.setUnitScale(scale);
    forget();
    setHovered(m_hovered);
}

void HeatMapView::showPhase(bool shown)
{
    m_data.showPhase(shown);
    forget();
    setHovered(m_hovered);
}

void HeatMapView::shareSteps(std::shared_ptr<AxisZoom> steps)
{
    m_places.shareSteps(std::move(steps));
    changed();
}

void HeatMapView::setLabelled(bool labelled)
{
    m_places.setLabelled(labelled);
    changed();
}

void HeatMapView::setStep(std::int64_t step, bool held)
{
    m_step = step;
    if (held && m_marked && m_marked->step != step && step < m_data.cells().steps) {
        m_marked->step = step;
        tell();
    }
    update();
}

void HeatMapView::setSelected(std::vector<std::int64_t> units)
{
    m_selected = std::move(units);
    update();
}

void HeatMapView::setSpan(const StepSpan& span)
{
    m_span = span;
    update();
}

void HeatMapView::zoomRows(double factor)
{
    const auto cell = pointed();
    const double middle = m_places.map().height() / 2;
    m_places.rows().zoomBy(factor, cell ? m_places.cell(*cell).center().y() - m_places.map().top() : middle);
    changed();
}

void HeatMapView::zoomSteps(double factor)
{
    const auto cell = pointed();
    const double middle = m_places.map().width() / 2;
    m_places.steps().zoomBy(factor, cell ? m_places.cell(*cell).center().x() - m_places.map().left() : middle);
    stepsMoved();
    Q_EMIT stepsChanged();
}

void HeatMapView::fitAll()
{
    m_places.rows().fit();
    m_places.steps().fit();
    stepsMoved();
    Q_EMIT stepsChanged();
}

void HeatMapView::stepsMoved()
{
    forget();
    changed();
}

/// Where there is nothing to scroll, the wheel is for what the view lies in.
void HeatMapView::wheelEvent(QWheelEvent* event)
{
    const double notches = (event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x()) / 120.0;
    const bool sideways = event->modifiers() & Qt::ShiftModifier || event->angleDelta().y() == 0;
    AxisZoom& axis = sideways ? m_places.steps() : m_places.rows();
    if (isEmpty() || (!(event->modifiers() & Qt::ControlModifier) && !axis.isPart()))
        return event->ignore();
    const QPointF at = event->position() - m_places.map().topLeft();
    if (event->modifiers() & Qt::ControlModifier)
        axis.zoomBy(std::pow(kZoomStep, notches), sideways ? at.x() : at.y());
    else
        axis.scrollTo(axis.offset() - notches * std::max(48.0, 3 * axis.cell()));
    changed();
    if (sideways) {
        stepsMoved();
        Q_EMIT stepsChanged();
    }
    event->accept();
}

/// What stays while the hand moves is painted once.
void HeatMapView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRectF map = m_places.map();
    if (isEmpty() || map.width() < 8 || map.height() < 8)
        return;
    const HeatMapPainter::Hand hand{m_hovered, marked(), m_step < 0 ? std::nullopt : std::optional(m_step), m_selected,
                                    m_span};
    const double ratio = devicePixelRatioF();
    if (m_data.cells().heads > 0) {
        HeatMapPainter(painter, m_data, m_places, m_appearance, hand).paintStill(m_picture, ratio);
    } else {
        if (m_still.isNull() || m_still.devicePixelRatio() != ratio || m_stillPlace != m_places.content()) {
            m_stillPlace = m_places.content();
            m_still = QPixmap((QSizeF(size()) * ratio).toSize());
            m_still.setDevicePixelRatio(ratio);
            m_still.fill(Qt::transparent);
            QPainter still(&m_still);
            HeatMapPainter(still, m_data, m_places, m_appearance, hand).paintStill(m_picture, ratio);
        }
        painter.drawPixmap(0, 0, m_still);
    }
    HeatMapPainter(painter, m_data, m_places, m_appearance, hand).paintHand();
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_appearance.theme()[Theme::Role::Focus], 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

std::optional<HeatMapCell> HeatMapView::pointed() const
{
    return m_hovered ? m_hovered : marked();
}

void HeatMapView::tell()
{
    const auto cell = pointed();
    const QString words = cell ? m_data.describe(*cell) : QString();
    setAccessibleDescription(words);
    Q_EMIT pointedAt(words);
    update();
}

void HeatMapView::setHovered(std::optional<HeatMapCell> cell)
{
    m_hovered = m_data.inside(cell);
    tell();
}

void HeatMapView::mark(std::optional<HeatMapCell> cell, bool byClick)
{
    m_marked = cell;
    tell();
    Q_EMIT marksChanged(byClick);
}

void HeatMapView::unmark()
{
    if (!m_marked)
        return;
    m_marked.reset();
    tell();
}

void HeatMapView::mousePressEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (event->button() != Qt::LeftButton || isEmpty())
        return QWidget::mousePressEvent(event);
    m_drag = m_places.map().contains(at) ? Drag::Cell : m_places.characters().contains(at) ? Drag::Step : Drag::None;
    m_brush.end();
    if (m_drag != Drag::None && event->modifiers() & Qt::ShiftModifier) {
        m_drag = Drag::Span;
        m_brush.begin(m_places.nearest(at).step);
    }
    dragTo(at, true);
    if (m_drag == Drag::Cell && marked())
        Q_EMIT unitClicked(marked()->unit, event->modifiers() & Qt::ControlModifier);
}

/// From the row of characters the mark moves along its own row.
void HeatMapView::dragTo(const QPointF& position, bool byClick)
{
    if (m_drag == Drag::None || isEmpty())
        return;
    const HeatMapCell under = m_places.nearest(position);
    if (m_drag == Drag::Span)
        return brush(m_brush.to(under.step));
    const HeatMapCell before = marked().value_or(m_data.first());
    mark(m_drag == Drag::Cell ? under : HeatMapCell{under.step, before.unit}, byClick);
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event)
{
    dragTo(event->position(), false);
    setHovered(m_places.at(event->position()));
    Q_EMIT stepPointed(m_hovered ? m_hovered->step : -1);
}

void HeatMapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        m_drag = Drag::None;
}

void HeatMapView::leaveEvent(QEvent*)
{
    setHovered(std::nullopt);
    Q_EMIT stepPointed(-1);
}

/// The mark's keys are not shortcuts of the window's.
bool HeatMapView::event(QEvent* event)
{
    const auto isOurs = [](const QKeyEvent& key) {
        return heatMapMove(key) || (!key.modifiers() && heatMapZoom(key.key()));
    };
    if (event->type() == QEvent::ShortcutOverride && isOurs(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::Show || event->type() == QEvent::Resize)
        changed();
    return QWidget::event(event);
}

void HeatMapView::keyPressEvent(QKeyEvent* event)
{
    const auto move = heatMapMove(*event);
    const auto zoom = heatMapZoom(event->key());
    const std::int64_t before = m_marked ? m_marked->step : m_step;
    const bool brushes = event->modifiers() & Qt::ShiftModifier;
    if (move && !isEmpty()) {
        if (!brushes)
            m_brush.end();
        moveMark(*move);
        if (brushes && move->steps != 0 && marked())
            brush(m_brush.by(before, marked()->step));
    } else if (event->key() == Qt::Key_Escape && releaseStep())
        return;
    else if (!isEmpty() && zoom && !(event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)))
        zoomBy(*zoom);
    else
        QWidget::keyPressEvent(event);
}

void HeatMapView::zoomBy(const HeatMapZoom& zoom)
{
    if (zoom.fits)
        fitAll();
    else if (zoom.rows != 1)
        zoomRows(zoom.rows);
    else
        zoomSteps(zoom.steps);
}

/// The mark first, then the span; whether there was one.
bool HeatMapView::releaseStep()
{
    m_brush.end();
    if (m_marked)
        mark(std::nullopt);
    else if (!m_span.isEmpty())
        brush({});
    else
        return false;
    return true;
}

/// From then on the words are those of the mark, wherever the hand lies.
void HeatMapView::moveMark(const HeatMapMove& move)
{
    const HeatMapCell to =
        cellAfter(move, marked().value_or(pointed().value_or(m_data.first())), marked().has_value(), m_data);
    m_hovered.reset();
    m_places.rows().reveal(m_data.rowOf(to.unit));
    placeScroll();
    if (m_places.steps().isPart()) {
        m_places.steps().reveal(to.step);
        Q_EMIT stepsChanged();
    }
    mark(to);
}

} // namespace unroll
