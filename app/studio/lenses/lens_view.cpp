// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/lens_view.h"

namespace unroll {

LensView::LensView(const std::string& lens, RunController& controller, QWidget* parent)
    : QWidget(parent), m_spec(findLens(lens)->spec()), m_run(&controller)
{}

void LensView::ask(std::optional<LensQuery> query)
{
    m_query = std::move(query);
    if (m_run)
        m_run->ask(*this, m_query);
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
