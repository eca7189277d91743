// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/lens_panel.h"

#include "app/studio/compare/comparing.h"
#include "app/studio/lenses/signal_lens_view.h"
#include "core/experiment/lesson.h"

#include <QVBoxLayout>

namespace unroll {

LensPanel::LensPanel(const LensViewEntry& entry, const CompareDesk& desk, QWidget* parent)
    : QWidget(parent), m_entry(entry), m_desk(desk), m_sight(new InSight(*this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    connect(m_sight, &InSight::changed, this, [this](bool seen) {
        if (seen)
            view();
    });
}

LensPanel::~LensPanel()
{
    delete m_sight;
}

LensView& LensPanel::view()
{
    if (m_view == nullptr) {
        m_view = m_entry.make(m_desk.lens);
        new Comparing(*m_view, m_desk);
        connect(m_view, &LensView::noted, this, &LensPanel::noted);
        connect(m_view, &LensView::failed, this, &LensPanel::failed);
        layout()->addWidget(m_view);
        if (!m_choices.isEmpty())
            m_view->takeChoices(m_choices);
    }
    return *m_view;
}

QJsonObject LensPanel::choices() const
{
    return m_view != nullptr ? m_view->choices() : m_choices;
}

void LensPanel::takeChoices(const QJsonObject& choices)
{
    m_choices = choices;
    if (m_view != nullptr)
        m_view->takeChoices(choices);
}

SignalLensView* LensPanel::signalView() const
{
    return dynamic_cast<SignalLensView*>(m_view);
}

void LensPanel::showStep(const LessonStep& step)
{
    view();
    SignalLensView* of = signalView();
    if (of == nullptr || !of->lens().takesSignal)
        return;
    if (!step.node.empty())
        of->picker().showNode(step.node);
    if (!step.signal.empty())
        of->picker().showSignal(step.signal);
}

bool LensPanel::holdsStep(const LessonStep& step) const
{
    const SignalLensView* of = signalView();
    return of != nullptr && of->isVisible() && !of->isEmpty() &&
           (step.node.empty() || !of->lens().takesSignal || step.node == of->picker().place());
}

} // namespace unroll
