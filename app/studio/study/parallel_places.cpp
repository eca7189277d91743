// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/parallel_places.h"

#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

double distanceTo(const QPointF& at, const QPointF& a, const QPointF& b)
{
    const QPointF along = b - a, to = at - a;
    const double length = QPointF::dotProduct(along, along);
    const double share = length > 0 ? std::clamp(QPointF::dotProduct(to, along) / length, 0.0, 1.0) : 0;
    const QPointF away = to - share * along;
    return std::hypot(away.x(), away.y());
}

} // namespace

/// Above the axes two lines of names, below them nothing; beside the outer ones half of a name.
void ParallelPlaces::layOut(const QSizeF& size, const QFontMetricsF& text, std::size_t axes)
{
    m_axes = axes;
    const double side = kLeastAxis / 2 + space::s;
    const double top = 2 * text.height() + space::m + space::xs;
    m_area = QRectF(side, top, std::max(1.0, size.width() - 2 * side),
                    std::max(24.0, size.height() - top - text.height() / 2 - space::s));
}

double ParallelPlaces::room() const
{
    return m_axes > 1 ? m_area.width() / static_cast<double>(m_axes - 1) : m_area.width();
}

double ParallelPlaces::axisX(std::size_t axis) const
{
    return m_axes > 1 ? m_area.left() + static_cast<double>(axis) * room() : m_area.center().x();
}

/// The last pixel at each end is the end: values that lie there are within a range drawn up to it.
double ParallelPlaces::shareAt(double y) const
{
    const double share = (m_area.bottom() - y) / m_area.height(), pixel = 1 / m_area.height();
    return share < pixel ? 0.0 : share > 1 - pixel ? 1.0 : share;
}

std::optional<std::size_t> ParallelPlaces::axisAt(const QPointF& at) const
{
    if (at.y() < m_area.top() - space::s || at.y() > m_area.bottom() + space::s)
        return {};
    for (std::size_t axis = 0; axis < m_axes; ++axis)
        if (std::abs(at.x() - axisX(axis)) <= kReach)
            return axis;
    return {};
}

std::vector<std::vector<QPointF>> ParallelPlaces::lineOf(const StudyPlot& plot, std::size_t trial) const
{
    std::vector<std::vector<QPointF>> pieces(1);
    for (std::size_t axis = 0; axis < m_axes; ++axis) {
        if (const auto share = plot.share(trial, axis))
            pieces.back().emplace_back(axisX(axis), y(*share));
        else if (!pieces.back().empty())
            pieces.emplace_back();
    }
    if (pieces.back().empty())
        pieces.pop_back();
    return pieces;
}

std::optional<std::size_t> ParallelPlaces::trialAt(const StudyPlot& plot, const QPointF& at) const
{
    std::optional<std::size_t> best;
    double least = kLineReach;
    for (std::size_t trial = 0; trial < plot.results()->trials.size(); ++trial) {
        if (!plot.isWithin(trial))
            continue;
        for (const auto& piece : lineOf(plot, trial))
            for (std::size_t i = 0; i < piece.size(); ++i) {
                const double away = distanceTo(at, piece[i], piece[std::min(i + 1, piece.size() - 1)]);
                if (away <= least) {
                    least = away;
                    best = trial;
                }
            }
    }
    return best;
}

} // namespace unroll
