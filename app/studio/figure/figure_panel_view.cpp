// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_panel_view.h"

#include "app/studio/figure/figure_text.h"
#include "app/studio/theme/appearance.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

FigurePanelView::FigurePanelView(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_appearance(appearance)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&appearance, &Appearance::changed, this, &FigurePanelView::layOut);
}

void FigurePanelView::setFigure(std::shared_ptr<const Figure> figure, std::size_t index, std::int64_t steps,
                                const FigureMargins& margins)
{
    m_plot.emplace(std::move(figure), index, steps);
    m_margins = margins;
    const FigurePanel& panel = m_plot->panel();
    setAccessibleName(QString::fromStdString(panel.title.empty() ? panel.id : panel.title));
    if (m_mark && !m_plot->has(*m_mark))
        m_mark.reset();
    layOut();
    tell();
}

void FigurePanelView::setShared(const FigurePainter::Hand& shared)
{
    m_shared = shared;
    if (m_plot && m_mark && !underMouse() && hasFocus() && m_plot->steps() > 0 && shared.step >= 0)
        if (const auto mark = markAtStep(shared.step))
            m_mark = mark;
    m_shared.mark = m_mark;
    setAccessibleDescription(shownText().isEmpty() && m_plot ? panelText(m_plot->panel()) : shownText());
    update();
}

void FigurePanelView::layOut()
{
    m_picture = {};
    if (!m_plot)
        return;
    m_plot->layOut(QSizeF(size()), m_margins, m_appearance);
    const int least = static_cast<int>(std::ceil(m_plot->leastHeight(m_appearance)));
    if (least != m_leastHeight) {
        m_leastHeight = least;
        updateGeometry();
    }
    update();
}

void FigurePanelView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void FigurePanelView::paintEvent(QPaintEvent*)
{
    if (!m_plot)
        return;
    const double ratio = devicePixelRatioF();
    if (m_picture.isNull() || m_picture.devicePixelRatio() != ratio) {
        m_picture = QPixmap((QSizeF(size()) * ratio).toSize());
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(m_appearance.theme()[Theme::Role::Panel]);
        QPainter painter(&m_picture);
        FigurePainter(painter, *m_plot, m_appearance).paint();
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_picture);
    FigurePainter::Hand hand = m_shared;
    hand.mark = m_mark;
    FigurePainter(painter, *m_plot, m_appearance).paintHand(hand);
    if (!hasFocus())
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_appearance.theme()[Theme::Role::Focus], 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(2, 1, -2, -1), 4, 4);
}

QString FigurePanelView::shownText() const
{
    if (!m_plot)
        return {};
    if (m_mark) {
        const bool lines = m_mark->series && m_plot->steps() > 0 && m_plot->panel().series.size() > 1 &&
                           m_plot->panel().series[*m_mark->series].kind != FigureSeries::Kind::Points &&
                           m_plot->panel().series[*m_mark->series].notes.empty();
        const auto step = lines ? m_plot->stepOf(*m_mark) : std::nullopt;
        return step ? stepValuesText(*m_plot, *step) : markText(*m_plot, *m_mark);
    }
    return m_shared.step >= 0 && m_shared.step < m_plot->steps() ? stepValuesText(*m_plot, m_shared.step) : QString();
}

void FigurePanelView::point(std::optional<FigureMark> mark)
{
    if (mark == m_mark)
        return;
    m_mark = mark;
    tell();
    update();
}

void FigurePanelView::tell()
{
    const QString said = shownText();
    setAccessibleDescription(said.isEmpty() && m_plot ? panelText(m_plot->panel()) : said);
    if (underMouse() || hasFocus())
        Q_EMIT pointed(said);
}

void FigurePanelView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_plot)
        return;
    const QPointF at = event->position();
    if (m_pressed && (event->buttons() & Qt::LeftButton)) {
        m_brushing = m_brushing || std::abs(at.x() - m_pressedAt.x()) >= QApplication::startDragDistance();
        if (m_brushing)
            return brush(at.x());
    }
    if (const auto step = m_plot->stepAt(at))
        Q_EMIT stepPointed(*step);
    point(m_plot->nearest(at));
}

void FigurePanelView::brush(double x)
{
    const std::int64_t here = m_plot->stepNear(x);
    Q_EMIT spanBrushed(std::min(here, *m_pressed), std::max(here, *m_pressed) + 1);
}

void FigurePanelView::mousePressEvent(QMouseEvent* event)
{
    if (!m_plot || event->button() != Qt::LeftButton)
        return QWidget::mousePressEvent(event);
    m_pressed = m_plot->stepAt(event->position());
    m_pressedAt = event->position();
    m_brushing = false;
}

void FigurePanelView::mouseReleaseEvent(QMouseEvent* event)
{
    if (!m_plot || event->button() != Qt::LeftButton)
        return QWidget::mouseReleaseEvent(event);
    const auto pressed = std::exchange(m_pressed, std::nullopt);
    if (std::exchange(m_brushing, false))
        return;
    point(m_plot->nearest(event->position()));
    if (pressed)
        Q_EMIT stepHeld(*pressed);
    chooseUnits(true);
}

void FigurePanelView::leaveEvent(QEvent*)
{
    point({});
    Q_EMIT pointed({});
}

bool FigurePanelView::chooseUnits(bool act)
{
    const std::vector<std::int64_t> units = m_mark ? m_plot->unitsOf(*m_mark) : std::vector<std::int64_t>{};
    if (act && !units.empty())
        Q_EMIT unitsChosen(units);
    return !units.empty();
}

/// Its keys are not shortcuts of the window's.
bool FigurePanelView::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && handle(*static_cast<QKeyEvent*>(event), false)) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void FigurePanelView::keyPressEvent(QKeyEvent* event)
{
    if (!handle(*event, true))
        QWidget::keyPressEvent(event);
}

/// Whether the key is for the panel; does what it says if it is to act.
bool FigurePanelView::handle(const QKeyEvent& key, bool act)
{
    if (!m_plot || (key.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) != 0)
        return false;
    const bool shift = key.modifiers() & Qt::ShiftModifier;
    const std::int64_t steps = m_plot->steps(), step = m_shared.step;
    if (steps > 0) {
        const bool is = step >= 0 && step < steps;
        switch (key.key()) {
        case Qt::Key_Left: return walkSteps(is ? step - 1 : 0, shift, act);
        case Qt::Key_Right: return walkSteps(is ? step + 1 : 0, shift, act);
        case Qt::Key_Home: return walkSteps(0, shift, act);
        case Qt::Key_End: return walkSteps(steps - 1, shift, act);
        default: break;
        }
    }
    if (shift)
        return false;
    constexpr int far = std::numeric_limits<int>::max();
    switch (key.key()) {
    case Qt::Key_Left: return walk(-1, 0, act);
    case Qt::Key_Right: return walk(1, 0, act);
    case Qt::Key_Home: return walk(-far, 0, act);
    case Qt::Key_End: return walk(far, 0, act);
    case Qt::Key_Up: return walk(0, -1, act);
    case Qt::Key_Down: return walk(0, 1, act);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: return chooseUnits(act);
    case Qt::Key_Escape: return release(act);
    default: return false;
    }
}

bool FigurePanelView::walkSteps(std::int64_t step, bool brushes, bool act)
{
    if (!act)
        return true;
    step = std::clamp<std::int64_t>(step, 0, m_plot->steps() - 1);
    if (!brushes)
        m_brushFrom = -1;
    else if (m_brushFrom < 0)
        m_brushFrom = m_shared.step >= 0 ? m_shared.step : step;
    point(markAtStep(step));
    Q_EMIT stepHeld(step);
    if (brushes)
        Q_EMIT spanBrushed(std::min(step, m_brushFrom), std::max(step, m_brushFrom) + 1);
    tell();
    Q_EMIT shown(QPoint(static_cast<int>(m_plot->at(static_cast<double>(step), m_plot->axes().y.low).x()),
                        m_mark ? static_cast<int>(m_plot->placeOf(*m_mark).value_or(m_plot->area().center()).y())
                               : height() / 2));
    return true;
}

/// In the row or the series that was pointed at; where that has nothing there, nothing.
std::optional<FigureMark> FigurePanelView::markAtStep(std::int64_t step) const
{
    if (m_plot->panel().cells && (!m_mark || !m_mark->series)) {
        const FigureMark mark{{}, step, m_mark ? m_mark->row : 0};
        return m_plot->has(mark) ? std::optional(mark) : std::nullopt;
    }
    const auto& all = m_plot->panel().series;
    const std::size_t first = m_mark && m_mark->series ? *m_mark->series : 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const std::size_t s = (first + k) % all.size();
        for (std::int64_t i = 0; i < std::ssize(all[s].x); ++i)
            if (const FigureMark mark{s, i, 0}; m_plot->stepOf(mark) == step)
                return mark;
    }
    return {};
}

/// The next value of the series by its place across.
std::optional<FigureMark> FigurePanelView::nextPoint(const FigureMark& from, int across) const
{
    const FigureSeries& series = m_plot->panel().series[*from.series];
    const double here = series.x[static_cast<std::size_t>(from.index)];
    std::optional<FigureMark> best;
    double least = std::numeric_limits<double>::infinity();
    const bool far = std::abs(across) > 1;
    for (std::int64_t i = 0; i < std::ssize(series.x); ++i) {
        const double x = series.x[static_cast<std::size_t>(i)];
        const bool ahead =
            across > 0 ? x > here || (x == here && i > from.index) : x < here || (x == here && i < from.index);
        if (!ahead || !m_plot->placeOf({from.series, i, 0}))
            continue;
        // Of those at the same place the one that comes next in the list.
        const double away =
            std::abs(x - here) + (x == here ? 1e-12 * std::abs(static_cast<double>(i - from.index)) : 0);
        const double cost = far ? -away : away;
        if (cost < least) {
            least = cost;
            best = FigureMark{from.series, i, 0};
        }
    }
    return best;
}

std::optional<FigureMark> FigurePanelView::beside(int across, int down) const
{
    const FigurePanel& panel = m_plot->panel();
    if (!m_mark) {
        if (panel.cells)
            return FigureMark{{}, m_plot->steps() > 0 && m_shared.step >= 0 ? m_shared.step : 0, 0};
        for (std::size_t s = 0; s < panel.series.size(); ++s)
            for (std::int64_t i = 0; i < std::ssize(panel.series[s].x); ++i)
                if (m_plot->placeOf({s, i, 0}))
                    return FigureMark{s, i, 0};
        return {};
    }
    if (!m_mark->series) {
        const auto moved = [](std::int64_t place, int by, std::int64_t count) {
            return std::clamp<std::int64_t>(place + by, 0, count - 1);
        };
        return FigureMark{
            {}, moved(m_mark->index, across, panel.cells->columns), moved(m_mark->row, down, panel.cells->rows)};
    }
    if (across != 0)
        return nextPoint(*m_mark, across);
    const auto count = std::ssize(panel.series);
    const std::int64_t next = static_cast<std::int64_t>(*m_mark->series) + down;
    if (next < 0 || next >= count)
        return {};
    const FigureSeries& other = panel.series[static_cast<std::size_t>(next)];
    const double here = panel.series[*m_mark->series].x[static_cast<std::size_t>(m_mark->index)];
    const auto near = std::min_element(other.x.begin(), other.x.end(),
                                       [&](double a, double b) { return std::abs(a - here) < std::abs(b - here); });
    return near == other.x.end() ? std::nullopt
                                 : std::optional(FigureMark{static_cast<std::size_t>(next), near - other.x.begin(), 0});
}

bool FigurePanelView::walk(int across, int down, bool act)
{
    const FigurePanel& panel = m_plot->panel();
    const bool some = panel.cells || !panel.series.empty();
    if (!some || (down != 0 && !panel.cells && panel.series.size() < 2))
        return false;
    if (!act)
        return true;
    if (const auto mark = beside(across, down); mark && m_plot->has(*mark)) {
        point(mark);
        if (const auto place = m_plot->placeOf(*mark))
            Q_EMIT shown(place->toPoint());
    }
    return true;
}

/// First what is pointed at and held, then the span.
bool FigurePanelView::release(bool act)
{
    const bool holds = m_mark || (m_plot->steps() > 0 && m_shared.step >= 0);
    if (!holds && m_shared.from < 0)
        return false;
    if (!act)
        return true;
    m_brushFrom = -1;
    if (holds) {
        point({});
        Q_EMIT released();
        Q_EMIT pointed({});
    } else {
        Q_EMIT spanBrushed(-1, -1);
    }
    return true;
}

} // namespace unroll
