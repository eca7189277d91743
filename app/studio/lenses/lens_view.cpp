// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/lens_view.h"

namespace unroll {

LensView::LensView(const std::string& lens, RunController& controller, QWidget* parent)
    : QWidget(parent), m_spec(findLens(lens)->spec()), m_run(&controller)
{}

void LensView::ask(std::optional<LensQuery> query)
{
    const bool other = query != m_query;
    m_query = std::move(query);
    if (m_run)
        m_run->ask(*this, m_query);
    if (other)
        Q_EMIT asked();
}

void LensView::usePages(QStackedWidget* pages)
{
    m_pages = pages;
}

void LensView::showPage(int page)
{
    m_page = page;
    if (m_pages)
        m_pages->setCurrentWidget(m_instead ? m_instead.data() : m_pages->widget(page));
}

void LensView::setInstead(QWidget* page)
{
    if (m_instead && m_pages) {
        m_pages->removeWidget(m_instead);
        m_instead->setParent(nullptr);
    }
    m_instead = page;
    if (page != nullptr && m_pages)
        m_pages->addWidget(page);
    showPage(m_page);
}

std::shared_ptr<const LensFrame> LensView::newest() const
{
    return m_run && m_query ? m_run->snapshot()->frameOf(*m_query) : nullptr;
}

QString LensViewEntry::title() const
{
    return QString::fromStdString(findLens(id)->spec().title);
}

} // namespace unroll
