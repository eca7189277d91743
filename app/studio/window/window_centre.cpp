// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/window_centre.h"

#include "app/studio/canvas/graph_view.h"
#include "app/studio/start/lesson_strip.h"
#include "app/studio/start/start_page.h"
#include "app/studio/theme/keeps_height.h"
#include "app/studio/theme/message_bar.h"
#include "app/studio/theme/metrics.h"

#include <QStackedWidget>
#include <QVBoxLayout>

namespace unroll {

WindowCentre::WindowCentre(GraphScene& scene, const BlockRegistry& registry, const Appearance& appearance)
    : m_questions(new MessageBar(appearance)),
      m_messages(new MessageBar(appearance)),
      m_lesson(new LessonStrip(appearance)),
      m_pages(new QStackedWidget),
      m_canvas(new GraphView(scene, appearance)),
      m_startPage(new StartPage(registry, appearance))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QWidget* bar : std::initializer_list<QWidget*>{m_questions, m_messages, m_lesson}) {
        column->addWidget(bar);
        keepHeight(*bar);
    }
    column->addWidget(m_pages, 1);
    m_pages->addWidget(m_canvas);
    m_canvas->setMinimumHeight(5 * space::xl); // a low window takes from the panels below too
    m_pages->addWidget(m_startPage);
}

void WindowCentre::setStartShown(bool shown)
{
    m_pages->setCurrentWidget(shown ? static_cast<QWidget*>(m_startPage) : m_canvas);
}

bool WindowCentre::isStartShown() const
{
    return m_pages->currentWidget() == m_startPage;
}

} // namespace unroll
