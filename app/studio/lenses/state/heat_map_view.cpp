// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_view.h"

#include "app/studio/lenses/state/heat_map_painter.h"
#include "app/studio/theme/appearance.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace unroll {

namespace {

constexpr std::int64_t page = 10;                                 ///< rows or steps at once
constexpr std::int64_t all = std::numeric_limits<int>::max() / 2; ///< more than there are

struct Move {
    std::int64_t steps;
    std::int64_t rows;
};

/// Where a key leads; nothing: it is not for the map.
std::optional<Move> moveOf(const QKeyEvent& event)
{
    if (event.modifiers() & Qt::AltModifier)
        return std::nullopt;
    const bool far = event.modifiers() & Qt::ControlModifier;
    switch (event.key()) {
    case Qt::Key_Left: return Move{far ? -page : -1, 0};
    case Qt::Key_Right: return Move{far ? page : 1, 0};
    case Qt::Key_Up: return Move{0, far ? -page : -1};
    case Qt::Key_Down: return Move{0, far ? page : 1};
    case Qt::Key_PageUp: return Move{0, -page};
    case Qt::Key_PageDown: return Move{0, page};
    case Qt::Key_Home: return Move{-all, 0};
    case Qt::Key_End: return Move{all, 0};
    default: return std::nullopt;
    }
}

} // namespace

HeatMapView::HeatMapView(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_appearance(appearance), m_places(*this, m_data, appearance), m_picture(appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Heat map"));
    m_places.layOutLabels();
    connect(&appearance, &Appearance::changed, this, [this] {
        m_picture.themeChanged();
        m_places.layOutLabels();
        update();
    });
}

void HeatMapView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_places.layOutLabels();
}

void HeatMapView::setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index)
{
    const bool continued = m_data.setFrame(std::move(frame), index);
    m_picture.forget();
    if (!continued) {
        m_places.layOutLabels();
        reorder();
    }
    Q_EMIT canReorderChanged(m_data.canReorder());
    setHovered(m_hovered); // its value is another now
}

void HeatMapView::setOrder(UnitOrder order)
{
    m_data.setOrder(order);
    m_picture.forget();
    update();
}

void HeatMapView::reorder()
{
    setOrder(m_data.order());
}

void HeatMapView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QRectF map = m_places.map();
    if (isEmpty() || map.width() < 8 || map.height() < 8)
        return;
    HeatMapPainter(painter, m_data, m_places, m_appearance, {m_hovered, marked()})
        .paint(m_picture, devicePixelRatioF());
    if (hasFocus()) {
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

void HeatMapView::mark(std::optional<HeatMapCell> cell)
{
    m_marked = cell;
    tell();
}

void HeatMapView::mousePressEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (event->button() != Qt::LeftButton || isEmpty())
        return QWidget::mousePressEvent(event);
    m_drag = m_places.map().contains(at) ? Drag::Cell : m_places.characters().contains(at) ? Drag::Step : Drag::None;
    dragTo(at);
}

/// From the row of characters the mark moves along its own row.
void HeatMapView::dragTo(const QPointF& position)
{
    if (m_drag == Drag::None || isEmpty())
        return;
    const HeatMapCell under = m_places.nearest(position);
    const HeatMapCell before = marked().value_or(m_data.first());
    mark(m_drag == Drag::Cell ? under : HeatMapCell{under.step, before.unit});
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event)
{
    dragTo(event->position());
    setHovered(m_places.at(event->position()));
}

void HeatMapView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        m_drag = Drag::None;
}

void HeatMapView::leaveEvent(QEvent*)
{
    setHovered(std::nullopt);
}

/// The mark's keys are no shortcuts of the window's.
bool HeatMapView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && moveOf(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void HeatMapView::keyPressEvent(QKeyEvent* event)
{
    const auto move = moveOf(*event);
    if (move && !isEmpty())
        moveMark(move->steps, move->rows);
    else if (event->key() == Qt::Key_Escape && m_marked)
        mark(std::nullopt);
    else
        QWidget::keyPressEvent(event);
}

/// The first key marks where the hand is, or the first cell, unless it leads to an end. From then on the words are those of the mark, wherever
/// the hand lies.
void HeatMapView::moveMark(std::int64_t steps, std::int64_t rows)
{
    const bool moves = marked() || std::abs(steps) == all;
    const HeatMapCell from = marked().value_or(pointed().value_or(m_data.first()));
    const std::int64_t step = from.step + (moves ? steps : 0);
    const std::int64_t row = m_data.rowOf(from.unit) + (moves ? rows : 0);
    m_hovered.reset();
    mark(HeatMapCell{
        std::clamp<std::int64_t>(step, 0, m_data.cells().steps - 1),
        m_data.rows()[static_cast<std::size_t>(std::clamp<std::int64_t>(row, 0, m_data.cells().width - 1))]});
}

} // namespace unroll
