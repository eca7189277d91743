// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_panel_view.h"

#include "app/studio/figure/figure_text.h"
#include "app/studio/theme/appearance.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

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

/// Its keys are no shortcuts of the window's.
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

} // namespace unroll
