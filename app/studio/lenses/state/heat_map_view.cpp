// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_view.h"

#include "app/studio/theme/appearance.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

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

QString valueText(float value)
{
    if (std::isnan(value))
        return HeatMapView::tr("not a number");
    if (std::isinf(value))
        return HeatMapView::tr("infinite");
    return QString::number(static_cast<double>(value), 'g', 4).replace('-', QChar(0x2212));
}

} // namespace

HeatMapView::HeatMapView(const Appearance& appearance, QWidget* parent) : QWidget(parent), m_appearance(appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Heat map"));
    remakeMaps();
    connect(&appearance, &Appearance::changed, this, &HeatMapView::remakeMaps);
}

void HeatMapView::remakeMaps()
{
    m_diverging = ColourMap::diverging(m_appearance.theme().divergingMap());
    m_sequential = ColourMap::sequential(m_appearance.theme().sequentialMap());
    m_imageFor = {};
    layOutLabels();
    update();
}

void HeatMapView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOutLabels();
}

/// Of the signal and the text that are shown already.
bool HeatMapView::goesOn(const ProbeFrame& frame, std::size_t index) const
{
    if (isEmpty())
        return false;
    const SignalFrame& now = m_frame->signalFrames[m_index];
    const SignalFrame& next = frame.signalFrames[index];
    return now.node == next.node && now.signal == next.signal && now.width == next.width &&
           m_frame->characters == frame.characters;
}

/// A vector is one for all steps: its column is not that of the first character.
static std::shared_ptr<const ProbeFrame> named(std::shared_ptr<const ProbeFrame> frame, std::size_t index)
{
    if (frame->signalFrames[index].steps != 1 || frame->characters.size() < 2)
        return frame;
    ProbeFrame whole = *frame;
    whole.characters = {HeatMapView::tr("whole text").toStdString()};
    return std::make_shared<const ProbeFrame>(std::move(whole));
}

void HeatMapView::setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index)
{
    const bool there = frame && index < frame->signalFrames.size();
    if (there)
        frame = named(std::move(frame), index);
    const bool continued = there && goesOn(*frame, index);
    m_frame = std::move(frame);
    m_index = index;
    m_cells = there ? heatCells(m_frame->signalFrames[index]) : HeatCells{};
    if (there && !(continued && m_scaleHeld))
        m_scale = heatScale(m_frame->signalFrames[index].look, m_cells);
    m_imageFor = {};
    if (!continued) {
        layOutLabels();
        reorder();
    }
    Q_EMIT canReorderChanged(canReorder());
    setHovered(m_hovered); // its value is another now
}

void HeatMapView::setOrder(UnitOrder order)
{
    m_order = order;
    reorder();
}

void HeatMapView::reorder()
{
    m_rows = unitRows(m_cells, m_order);
    m_rowOf.resize(m_rows.size());
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        m_rowOf[static_cast<std::size_t>(m_rows[row])] = static_cast<std::int64_t>(row);
    m_imageFor = {};
    update();
}

HeatMapView::Cell HeatMapView::nearestCell(const QPointF& position) const
{
    const QRectF map = mapArea();
    const auto index = [](double share, std::int64_t count) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(share * static_cast<double>(count)), 0, count - 1);
    };
    const std::int64_t row = index((position.y() - map.top()) / map.height(), m_cells.width);
    return {index((position.x() - map.left()) / map.width(), m_cells.steps), m_rows[static_cast<std::size_t>(row)]};
}

std::optional<HeatMapView::Cell> HeatMapView::cellAt(const QPointF& position) const
{
    if (isEmpty() || !mapArea().contains(position))
        return std::nullopt;
    return nearestCell(position);
}

std::optional<HeatMapView::Cell> HeatMapView::inside(const std::optional<Cell>& cell) const
{
    return cell && cell->step < m_cells.steps && cell->unit < m_cells.width ? cell : std::nullopt;
}

std::optional<HeatMapView::Cell> HeatMapView::pointed() const
{
    return m_hovered ? m_hovered : marked();
}

QString HeatMapView::stepWords(std::int64_t step) const
{
    if (m_frame->characters.empty())
        return tr("step %1 of %2").arg(step + 1).arg(m_cells.steps);
    const auto index = static_cast<std::size_t>(step);
    const QString character =
        index < m_frame->characters.size() ? QString::fromStdString(m_frame->characters[index]) : QString();
    return (readsCharacters(*m_frame) ? tr("“%1”, character %2 of %3") : tr("“%1”, step %2 of %3"))
        .arg(character)
        .arg(step + 1)
        .arg(m_cells.steps);
}

QString HeatMapView::rowWords(std::int64_t unit) const
{
    if (const std::int64_t n = m_frame->signalFrames[m_index].rows; n > 0)
        return tr("matrix %1, row %2, column %3").arg(unit / (n * n)).arg(unit / n % n).arg(unit % n);
    if (m_cells.heads == 0)
        return tr("unit %1").arg(unit);
    return tr("head %1 attends to %2").arg(unit / m_cells.steps + 1).arg(stepWords(unit % m_cells.steps));
}

QString HeatMapView::describe(const Cell& cell) const
{
    const QString value = valueText(m_cells.at(cell.step, cell.unit));
    const bool complex = m_frame->signalFrames[m_index].look == SignalLook::Complex;
    return tr("%1, %2:  %3")
        .arg(stepWords(cell.step), rowWords(cell.unit), complex ? tr("modulus %1").arg(value) : value);
}

void HeatMapView::tell()
{
    const auto cell = pointed();
    const QString words = cell ? describe(*cell) : QString();
    setAccessibleDescription(words);
    Q_EMIT pointedAt(words);
    update();
}

void HeatMapView::setHovered(std::optional<Cell> cell)
{
    m_hovered = inside(cell);
    tell();
}

void HeatMapView::mark(std::optional<Cell> cell)
{
    m_marked = cell;
    tell();
}

void HeatMapView::mousePressEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (event->button() != Qt::LeftButton || isEmpty())
        return QWidget::mousePressEvent(event);
    m_drag = mapArea().contains(at) ? Drag::Cell : charactersArea().contains(at) ? Drag::Step : Drag::None;
    dragTo(at);
}

/// From the row of characters the mark moves along its own row.
void HeatMapView::dragTo(const QPointF& position)
{
    if (m_drag == Drag::None || isEmpty())
        return;
    const Cell under = nearestCell(position);
    const Cell before = marked().value_or(firstCell());
    mark(m_drag == Drag::Cell ? under : Cell{under.step, before.unit});
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event)
{
    dragTo(event->position());
    setHovered(cellAt(event->position()));
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
    const Cell from = marked().value_or(pointed().value_or(firstCell()));
    const std::int64_t step = from.step + (moves ? steps : 0);
    const std::int64_t row = rowOf(from.unit) + (moves ? rows : 0);
    m_hovered.reset();
    mark(Cell{std::clamp<std::int64_t>(step, 0, m_cells.steps - 1),
              m_rows[static_cast<std::size_t>(std::clamp<std::int64_t>(row, 0, m_cells.width - 1))]});
}

} // namespace unroll
