// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/reading_cursor.h"

#include <algorithm>
#include <utility>

namespace unroll {

std::string ReadingCursor::unitsText() const
{
    std::string text;
    for (const std::int64_t unit : m_selection.units)
        text += (text.empty() ? "" : ",") + std::to_string(unit);
    return text;
}

void ReadingCursor::pointAt(std::int64_t step)
{
    if (!m_held)
        moveTo(std::max<std::int64_t>(step, -1), false);
}

void ReadingCursor::hold(std::int64_t step)
{
    moveTo(std::max<std::int64_t>(step, -1), step >= 0);
}

void ReadingCursor::release()
{
    moveTo(-1, false);
}

void ReadingCursor::moveTo(std::int64_t step, bool held)
{
    if (step == m_step && held == m_held)
        return;
    m_step = step;
    m_held = held;
    Q_EMIT changed();
}

void ReadingCursor::setSpan(std::int64_t from, std::int64_t to)
{
    if (from < 0 || to <= from)
        from = to = -1;
    if (from == m_from && to == m_to)
        return;
    m_from = from;
    m_to = to;
    Q_EMIT changed();
}

void ReadingCursor::select(Selection selection)
{
    auto& units = selection.units;
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    if (selection == m_selection)
        return;
    m_selection = std::move(selection);
    Q_EMIT selectionChanged();
    Q_EMIT changed();
}

void ReadingCursor::setSteps(std::int64_t count)
{
    if (m_step >= count)
        release();
    if (m_to > count)
        setSpan(-1, -1);
}

void ReadingCursor::clear()
{
    release();
    setSpan(-1, -1);
    select({});
}

} // namespace unroll
