// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace unroll {

/// How a wire is drawn: cubics that leave and arrive level, one after the other; the end of one is the beginning of the
/// next. In scene units. The canvas draws it, the layout keeps it clear of nodes.
struct WireCurve {
    std::vector<Place> points; ///< the start, then two controls and the end of every cubic

    std::size_t cubics() const { return (points.size() - 1) / 3; }
    /// 0: the start, 1: the end.
    Place at(double t) const
    {
        const double along = t * static_cast<double>(cubics());
        const std::size_t cubic = std::min(static_cast<std::size_t>(along), cubics() - 1);
        const double r = along - static_cast<double>(cubic), s = 1 - r;
        const Place* p = &points[3 * cubic];
        const auto mix = [&](double a, double b, double c, double d) {
            return s * s * s * a + 3 * s * s * r * b + 3 * s * r * r * c + r * r * r * d;
        };
        return {mix(p[0].x, p[1].x, p[2].x, p[3].x), mix(p[0].y, p[1].y, p[2].y, p[3].y)};
    }
};

/// Back to the beginning of a row below: down beside its start, level between the rows, down to its end.
inline WireCurve wireToNextRow(const Place& from, const Place& to)
{
    const double middle = (from.y + to.y) / 2;
    const double bend = std::min(120.0, (to.y - from.y) / 3);
    return {{from,
             {from.x + bend, from.y},
             {from.x + bend, middle},
             {from.x, middle},
             {from.x, middle},
             {to.x, middle},
             {to.x, middle},
             {to.x - bend, middle},
             {to.x - bend, to.y},
             to}};
}

/// Tangents as long as half the way, and longer for wires that run back, so that they clear their nodes. One that runs
/// back on a level rises above its nodes; flat, it would cover itself and could not be hit. One that runs back far, as
/// loops do, goes round what lies between: below where its end lies below, else above. One that goes on in a row of
/// nodes further down, as long chains do, runs back between the rows.
inline WireCurve wireCurve(const Place& from, const Place& to)
{
    constexpr double lengthOfRow = 1200, gapOfRows = 200;
    const double dx = to.x - from.x;
    const double tangent = dx >= 0 ? std::max(40.0, dx / 2) : std::min(260.0, 80 - dx / 2);
    const double dy = to.y - from.y;
    if (-dx > lengthOfRow && dy > gapOfRows)
        return wireToNextRow(from, to);
    const double level = dx >= 0 ? 0 : std::max(0.0, 100 - std::abs(dy));
    const double round = std::clamp((-dx - 600) / 6, 0.0, 360.0);
    const double rise = level + (dy > 100 ? -round : round);
    return {{from, {from.x + tangent, from.y - rise}, {to.x - tangent, to.y - rise}, to}};
}

} // namespace unroll
