// SPDX-License-Identifier: GPL-3.0-or-later
// The keyboard in a heat map.
#include "app/studio/lenses/state/heat_map_view.h"

#include <QKeyEvent>
#include <algorithm>
#include <cstdlib>
#include <limits>

namespace unroll {

namespace {

constexpr std::int64_t kPage = 10;                                 ///< rows or steps at once
constexpr std::int64_t kAll = std::numeric_limits<int>::max() / 2; ///< more than there are

constexpr double kZoomByOneKey = 1.25;

bool isZoom(int key)
{
    return key == Qt::Key_Plus || key == Qt::Key_Minus || key == Qt::Key_Period || key == Qt::Key_Comma ||
           key == Qt::Key_0;
}

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
    case Qt::Key_Left: return Move{far ? -kPage : -1, 0};
    case Qt::Key_Right: return Move{far ? kPage : 1, 0};
    case Qt::Key_Up: return Move{0, far ? -kPage : -1};
    case Qt::Key_Down: return Move{0, far ? kPage : 1};
    case Qt::Key_PageUp: return Move{0, -kPage};
    case Qt::Key_PageDown: return Move{0, kPage};
    case Qt::Key_Home: return Move{-kAll, 0};
    case Qt::Key_End: return Move{kAll, 0};
    default: return std::nullopt;
    }
}

} // namespace

bool HeatMapView::zoomByKey(int key)
{
    switch (key) {
    case Qt::Key_Plus: zoomRows(kZoomByOneKey); return true;
    case Qt::Key_Minus: zoomRows(1 / kZoomByOneKey); return true;
    case Qt::Key_Period: zoomSteps(kZoomByOneKey); return true;
    case Qt::Key_Comma: zoomSteps(1 / kZoomByOneKey); return true;
    case Qt::Key_0: fitAll(); return true;
    default: return false;
    }
}

/// The mark's keys are no shortcuts of the window's.
bool HeatMapView::event(QEvent* event)
{
    const auto isOurs = [](const QKeyEvent& key) { return moveOf(key) || (!key.modifiers() && isZoom(key.key())); };
    if (event->type() == QEvent::ShortcutOverride && isOurs(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void HeatMapView::keyPressEvent(QKeyEvent* event)
{
    const auto move = moveOf(*event);
    const std::int64_t before = m_marked ? m_marked->step : m_step;
    const bool brushes = event->modifiers() & Qt::ShiftModifier;
    if (move && !isEmpty()) {
        if (!brushes)
            m_brush.end();
        moveMark(move->steps, move->rows);
        if (brushes && move->steps != 0 && marked())
            brush(m_brush.by(before, marked()->step));
    } else if (event->key() == Qt::Key_Escape && releaseStep())
        return;
    else if (!isEmpty() && isZoom(event->key()) && !(event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)))
        zoomByKey(event->key());
    else
        QWidget::keyPressEvent(event);
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

/// The first key marks where the hand is, or the first cell, unless it leads to an end. From then on the words are
/// those of the mark, wherever the hand lies.
void HeatMapView::moveMark(std::int64_t steps, std::int64_t rows)
{
    const bool moves = marked() || std::abs(steps) == kAll;
    const HeatMapCell from = marked().value_or(pointed().value_or(m_data.first()));
    const std::int64_t step = from.step + (moves ? steps : 0);
    const std::int64_t row = m_data.rowOf(from.unit) + (moves ? rows : 0);
    m_hovered.reset();
    const std::int64_t placed = std::clamp<std::int64_t>(row, 0, m_data.cells().width - 1);
    const HeatMapCell to{std::clamp<std::int64_t>(step, 0, m_data.cells().steps - 1),
                         m_data.rows()[static_cast<std::size_t>(placed)]};
    m_places.rows().reveal(placed);
    placeScroll();
    if (m_places.steps().isPart()) {
        m_places.steps().reveal(to.step);
        Q_EMIT stepsChanged();
    }
    mark(to);
}

} // namespace unroll
