// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/going_back.h"

namespace unroll {

GoingBack::GoingBack(LensView& view, TrainingTime& time, const Appearance& appearance, ReadingCursor& cursor, By by)
    : QObject(&view), m_view(view), m_time(time), m_by(by), m_page(new KeptPage(time, appearance, cursor))
{
    view.addPage(m_page);
    connect(&time, &TrainingTime::changed, this, &GoingBack::follow);
    connect(&view, &LensView::asked, this, &GoingBack::ask);
    ask();
}

void GoingBack::follow()
{
    const bool goes = m_time.shows() == TrainingTime::Shows::Strip ||
                      (m_by == By::Page && m_time.shows() == TrainingTime::Shows::Update);
    m_view.setPast(goes ? m_page : nullptr);
}

/// A view that is not seen asks nothing: its page is not seen either.
void GoingBack::ask()
{
    m_page->setQuery(m_view.query());
}

} // namespace unroll
