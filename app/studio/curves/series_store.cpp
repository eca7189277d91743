// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/series_store.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace unroll {

void SeriesStore::append(double x, double y)
{
    assert(m_x.empty() || x >= m_x.back());
    m_x.push_back(x);
    m_y.push_back(y);
    if (!std::isfinite(y))
        m_notNumbers.push_back(x);
    // A cell is closed as soon as its last entry is there; below that level nothing changes.
    std::size_t count = m_x.size();
    for (std::size_t level = 0; count % kFan == 0; ++level) {
        count /= kFan;
        if (m_levels.size() == level)
            m_levels.emplace_back();
        m_levels[level].push_back(scan(level, (count - 1) * kFan, count * kFan));
    }
}

void SeriesStore::clear()
{
    *this = {};
}

SeriesStore::Cell SeriesStore::leaf(std::size_t i) const
{
    return std::isfinite(m_y[i]) ? Cell{i, i} : Cell{npos, npos};
}

SeriesStore::Cell SeriesStore::joined(const Cell& a, const Cell& b) const
{
    if (a.least == npos)
        return b;
    if (b.least == npos)
        return a;
    return {m_y[b.least] < m_y[a.least] ? b.least : a.least,
            m_y[b.greatest] > m_y[a.greatest] ? b.greatest : a.greatest};
}

SeriesStore::Cell SeriesStore::scan(std::size_t level, std::size_t first, std::size_t last) const
{
    Cell all{npos, npos};
    for (std::size_t i = first; i < last; ++i)
        all = joined(all, cellAt(level, i));
    return all;
}

/// Climbs the levels from both ends: at each, the entries up to the next whole cell are joined, the rest is left to the
/// level above.
SeriesStore::Cell SeriesStore::extremes(std::size_t first, std::size_t last) const
{
    Cell left{npos, npos};
    Cell right{npos, npos};
    std::size_t level = 0;
    while (first < last) {
        const bool canClimb = level < m_levels.size() && last - first >= 2 * kFan;
        if (!canClimb) {
            left = joined(left, scan(level, first, last));
            break;
        }
        const std::size_t up = (first + kFan - 1) / kFan * kFan;
        const std::size_t down = last / kFan * kFan;
        left = joined(left, scan(level, first, up));
        right = joined(scan(level, down, last), right);
        first = up / kFan;
        last = down / kFan;
        ++level;
    }
    return joined(left, right);
}

std::optional<SeriesStore::Places> SeriesStore::extremePlaces(std::size_t first, std::size_t last) const
{
    const Cell cell = extremes(first, std::min(last, size()));
    return cell.least == npos ? std::nullopt : std::optional(Places{cell.least, cell.greatest});
}

std::pair<std::size_t, std::size_t> SeriesStore::range(double x0, double x1) const
{
    auto first = static_cast<std::size_t>(std::lower_bound(m_x.begin(), m_x.end(), x0) - m_x.begin());
    auto last = static_cast<std::size_t>(std::upper_bound(m_x.begin(), m_x.end(), x1) - m_x.begin());
    return {first > 0 ? first - 1 : 0, std::min(last + 1, size())};
}

std::vector<QPointF> SeriesStore::decimated(std::span<const double> edges) const
{
    assert(edges.size() >= 2);
    const std::size_t spans = edges.size() - 1;
    std::vector<QPointF> points;
    const auto [first, last] = range(edges.front(), edges.back());
    const auto add = [&](std::size_t i) {
        if (i != npos)
            points.emplace_back(m_x[i], m_y[i]);
    };
    if (last - first <= 2 * spans) {
        for (std::size_t i = first; i < last; ++i)
            add(std::isfinite(m_y[i]) ? i : npos);
        return points;
    }
    std::size_t from = first;
    for (std::size_t s = 0; s < spans; ++s) {
        const auto end = m_x.begin() + static_cast<std::ptrdiff_t>(last);
        const auto begin = m_x.begin() + static_cast<std::ptrdiff_t>(from);
        const std::size_t to =
            s + 1 == spans ? last : static_cast<std::size_t>(std::upper_bound(begin, end, edges[s + 1]) - m_x.begin());
        const Cell cell = extremes(from, to);
        from = to;
        add(std::min(cell.least, cell.greatest));
        if (cell.least != cell.greatest)
            add(std::max(cell.least, cell.greatest));
    }
    return points;
}

std::vector<double> SeriesStore::notNumbersWithin(std::span<const double> edges) const
{
    std::vector<double> found;
    auto at = m_notNumbers.begin();
    for (std::size_t s = 0; s + 1 < edges.size(); ++s) {
        at = std::lower_bound(at, m_notNumbers.end(), edges[s]);
        if (at != m_notNumbers.end() && (*at < edges[s + 1] || (s + 2 == edges.size() && *at == edges[s + 1])))
            found.push_back(*at++);
    }
    return found;
}

} // namespace unroll
