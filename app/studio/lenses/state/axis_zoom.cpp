// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/axis_zoom.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kLargestCell = 64; ///< px, unless all of them are larger than that

} // namespace

double AxisZoom::fitting() const
{
    return m_cells > 0 ? std::max(m_least, m_room / static_cast<double>(m_cells)) : 0;
}

double AxisZoom::cell() const
{
    return fitting() * m_zoom;
}

void AxisZoom::setExtent(std::int64_t cells, double room)
{
    const double whole = content();
    const double middle = whole > 0 ? (m_offset + m_room / 2) / whole : 0;
    if (cells != m_cells)
        m_zoom = 1;
    m_cells = cells;
    m_room = room;
    scrollTo(whole > 0 && m_zoom > 1 ? middle * content() - m_room / 2 : m_offset);
}

void AxisZoom::scrollTo(double offset)
{
    m_offset = std::clamp(std::round(offset), 0.0, std::max(0.0, content() - m_room));
}

void AxisZoom::zoomBy(double factor, double at)
{
    if (m_cells == 0)
        return;
    const double share = (m_offset + at) / content();
    m_zoom = std::clamp(m_zoom * factor, 1.0, std::max(1.0, kLargestCell / fitting()));
    scrollTo(share * content() - at);
}

void AxisZoom::fit()
{
    m_zoom = 1;
    scrollTo(0);
}

void AxisZoom::reveal(std::int64_t index)
{
    const double from = static_cast<double>(index) * cell();
    if (from < m_offset)
        scrollTo(std::floor(from));
    else if (from + cell() > m_offset + m_room)
        scrollTo(std::ceil(from + cell() - m_room));
}

std::int64_t AxisZoom::cellAt(double place) const
{
    if (m_cells == 0)
        return 0;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor((place + m_offset) / cell())), 0, m_cells - 1);
}

} // namespace unroll
