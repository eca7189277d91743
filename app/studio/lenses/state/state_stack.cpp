// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/state_stack.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QScrollArea>
#include <QToolButton>
#include <algorithm>

namespace unroll {

StateStack::StateStack(const LensDesk& desk, FrameHistories& histories, QWidget* parent)
    : QWidget(parent),
      m_desk(desk),
      m_histories(histories),
      m_first(new SignalViews(desk.appearance, desk.cursor)),
      m_head(head()),
      m_body(new QWidget),
      m_column(new QVBoxLayout(m_body)),
      m_scroll(new QScrollBar(Qt::Horizontal))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(space::s);
    auto* firstColumn = new QVBoxLayout;
    firstColumn->setSpacing(0);
    firstColumn->addWidget(m_head);
    firstColumn->addWidget(m_first, 1);
    m_column->addLayout(firstColumn, 1);
    auto* area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setMinimumSize(m_first->map().minimumSizeHint().width(), space::xl); // a low window scrolls
    area->viewport()->setAutoFillBackground(false);
    area->setWidget(m_body);
    m_body->setAutoFillBackground(false); // which the area has set
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(area, 1);
    column->addWidget(m_scroll);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->hide();
    m_head->hide();
    connect(m_scroll, &QScrollBar::valueChanged, this, [this](int value) {
        m_steps->scrollTo(value);
        stepsMoved(nullptr);
    });
    connect(&m_first->map(), &HeatMapView::canReorderChanged, this, &StateStack::canReorderChanged);
    join(*m_first);
}

QWidget* StateStack::head()
{
    auto* head = new QWidget;
    m_name = new QLabel;
    auto* remove = new QToolButton;
    remove->setObjectName("removeFirst");
    remove->setIcon(m_desk.appearance.icon("close"));
    remove->setAutoRaise(true);
    remove->setAccessibleName(tr("Remove this signal"));
    remove->setToolTip(tr("Remove this signal from the view"));
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(space::m, 0, space::m, 0);
    row->addWidget(m_name, 1);
    row->addWidget(remove);
    connect(remove, &QToolButton::clicked, this, &StateStack::firstRemoveAsked);
    return head;
}

void StateStack::join(SignalViews& views)
{
    views.shareSteps(m_steps);
    connect(&views, &SignalViews::pointedAt, this, &StateStack::pointedAt);
    connect(&views, &SignalViews::stepsChanged, this, [this, &views] { stepsMoved(&views); });
}

std::vector<SignalViews*> StateStack::all() const
{
    std::vector<SignalViews*> views{m_first};
    for (SignalSection* section : m_sections)
        views.push_back(&section->views());
    return views;
}

SignalSection* StateStack::add(const std::string& place, const std::string& signal)
{
    auto* section = new SignalSection(m_desk, m_histories);
    section->setRun(m_run);
    section->picker().showNode(place);
    section->picker().showSignal(signal);
    m_sections.push_back(section);
    m_histories.keep(m_sections.size() + 1);
    m_column->addWidget(section, 1);
    SignalViews& views = section->views();
    join(views);
    views.setDrawing(m_drawing);
    views.map().setOrder(m_order);
    views.setUnitScale(m_scale);
    views.showPhase(m_phase);
    connect(section, &SignalSection::removeAsked, this, [this, section] { remove(section); });
    relabel();
    Q_EMIT countChanged();
    return section;
}

void StateStack::remove(SignalSection* section)
{
    if (std::erase(m_sections, section) == 0)
        return;
    section->hide();
    section->deleteLater();
    relabel();
    Q_EMIT countChanged();
}

/// The characters stand below the last one alone.
void StateStack::relabel()
{
    m_head->setVisible(!m_sections.empty());
    const auto views = all();
    for (SignalViews* each : views) {
        each->setLabelled(each == views.back());
        each->setLeastHeight(views.size() > 1 ? 100 : 0);
    }
}

void StateStack::setFirstName(const QString& name)
{
    m_name->setText(name);
}

void StateStack::setRun(std::optional<Graph> graph)
{
    m_run = std::move(graph);
    for (SignalSection* section : m_sections)
        section->setRun(m_run);
}

void StateStack::take()
{
    for (SignalSection* section : m_sections)
        section->take();
}

void StateStack::showAt(std::optional<std::int64_t> step)
{
    for (SignalSection* section : m_sections)
        section->showAt(step);
    placeScroll();
}

void StateStack::forget()
{
    m_first->setFrame({});
    for (SignalSection* section : m_sections)
        section->forget();
}

void StateStack::holdScale(bool held)
{
    for (SignalViews* views : all())
        views->map().holdScale(held);
}

void StateStack::setDrawing(StateDrawing drawing)
{
    m_drawing = drawing;
    for (SignalViews* views : all())
        views->setDrawing(drawing);
    placeScroll();
}

void StateStack::setUnitScale(UnitScale scale)
{
    m_scale = scale;
    for (SignalViews* views : all())
        views->setUnitScale(scale);
}

void StateStack::setOrder(UnitOrder order)
{
    m_order = order;
    for (SignalViews* views : all())
        views->map().setOrder(order);
}

void StateStack::reorder()
{
    for (SignalViews* views : all())
        views->map().reorder();
}

void StateStack::showPhase(bool shown)
{
    m_phase = shown;
    for (SignalViews* views : all())
        views->showPhase(shown);
}

void StateStack::stepsMoved(const SignalViews* by)
{
    for (SignalViews* views : all())
        if (views != by)
            views->stepsMoved();
    placeScroll();
}

void StateStack::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeScroll();
}

void StateStack::placeScroll()
{
    const bool part = m_steps->isPart() && m_drawing < StateDrawing::Text;
    m_scroll->setVisible(part);
    if (!part)
        return;
    const QSignalBlocker quiet(m_scroll);
    m_scroll->setPageStep(static_cast<int>(m_steps->room()));
    m_scroll->setSingleStep(static_cast<int>(std::max(8.0, m_steps->cell())));
    m_scroll->setMaximum(static_cast<int>(m_steps->content() - m_steps->room() + 0.5));
    m_scroll->setValue(static_cast<int>(m_steps->offset()));
}

QImage StateStack::picture() const
{
    QImage image(m_body->size() * 2, QImage::Format_RGB32);
    image.setDevicePixelRatio(2);
    image.fill(m_desk.appearance.theme()[Theme::Role::Panel]);
    m_body->render(&image, {}, {}, QWidget::DrawChildren);
    return image;
}

} // namespace unroll
