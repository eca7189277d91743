// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/slices_view.h"

#include "app/studio/figure/figure_panel_view.h"
#include "app/studio/study/study_figures.h"
#include "app/studio/theme/metrics.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>

namespace unroll {

namespace {

constexpr int kLeastSlice = 210; ///< pixels of width

} // namespace

SlicesView::SlicesView(const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_appearance(appearance), m_scroll(new ColumnScroll(tr("Slices"))), m_body(new QWidget)
{
    m_body->setObjectName("scrollBody");
    m_grid = new QGridLayout(m_body);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(space::s);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_scroll);
    m_scroll->setWidget(m_body);
}

void SlicesView::build(std::size_t count)
{
    for (FigurePanelView* panel : m_panels) {
        panel->disconnect(this);
        panel->deleteLater();
    }
    m_panels.clear();
    m_columns = 0;
    for (std::size_t i = 0; i < count; ++i) {
        auto* panel = new FigurePanelView(m_appearance, m_body);
        panel->installEventFilter(this);
        m_panels.push_back(panel);
        connect(panel, &FigurePanelView::pointed, this, &SlicesView::pointedAt);
        connect(panel, &FigurePanelView::released, this, [this] { Q_EMIT chosen({}); });
        connect(panel, &FigurePanelView::unitsChosen, this,
                [this](const std::vector<std::int64_t>& units) { Q_EMIT chosen(units.front()); });
    }
    arrange();
}

void SlicesView::arrange()
{
    const int count = static_cast<int>(m_panels.size());
    const int columns = std::clamp(width() / kLeastSlice, 1, std::max(1, count));
    if (columns == m_columns || count == 0)
        return;
    m_columns = columns;
    for (int i = 0; i < count; ++i)
        m_grid->addWidget(m_panels[static_cast<std::size_t>(i)], i / columns, i % columns);
    for (int column = 0; column < m_grid->columnCount(); ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
}

void SlicesView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void SlicesView::setPlot(const StudyPlot& plot, const StudyWatch& watch)
{
    m_figure = std::make_shared<const Figure>(studySlices(plot));
    if (m_figure->panels.size() != m_panels.size())
        build(m_figure->panels.size());
    FigureMargins margins;
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        const FigureMargins own = FigurePlot(m_figure, i, 0).leastMargins(m_appearance);
        margins = {std::max(margins.left, own.left), std::max(margins.right, own.right)};
    }
    FigurePainter::Hand shared;
    if (watch.chosen)
        shared.units = {*watch.chosen};
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        m_panels[i]->setFigure(m_figure, i, 0, margins);
        m_panels[i]->setShared(shared);
    }
}

std::optional<std::int64_t> SlicesView::trialOf(const FigurePanelView& panel) const
{
    const auto units = panel.mark() ? panel.plot().unitsOf(*panel.mark()) : std::vector<std::int64_t>();
    return units.empty() ? std::nullopt : std::optional(units.front());
}

/// Enter and a double click open what is pointed at.
bool SlicesView::eventFilter(QObject* watched, QEvent* event)
{
    const auto* panel = qobject_cast<FigurePanelView*>(watched);
    const auto trial = panel != nullptr ? trialOf(*panel) : std::nullopt;
    if (!trial)
        return QWidget::eventFilter(watched, event);
    bool opens = event->type() == QEvent::MouseButtonDblClick;
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        opens = key == Qt::Key_Return || key == Qt::Key_Enter;
    }
    if (!opens)
        return QWidget::eventFilter(watched, event);
    Q_EMIT openAsked(*trial);
    return true;
}

} // namespace unroll
