// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <algorithm>
#include <cmath>

namespace unroll {

/// How a wire is drawn: a cubic that leaves and arrives level. Its four controls, in scene units. The canvas draws it, the layout keeps it clear
/// of nodes.
struct WireCurve {
    Place from, leaving, arriving, to;

    /// 0: `from`, 1: `to`.
    Place at(double t) const
    {
        const double s = 1 - t;
        const auto mix = [&](double a, double b, double c, double d) {
            return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
        };
        return {mix(from.x, leaving.x, arriving.x, to.x), mix(from.y, leaving.y, arriving.y, to.y)};
    }
};

/// Tangents as long as half the way, and longer for wires that run back, so that they clear their nodes. One that runs back on a level rises
/// above its nodes; flat, it would cover itself and could not be hit. One that runs back far, as loops do, goes round what lies between: below
/// where its end lies below, else above.
inline WireCurve wireCurve(const Place& from, const Place& to)
{
    const double dx = to.x - from.x;
    const double tangent = dx >= 0 ? std::max(40.0, dx / 2) : std::min(260.0, 80 - dx / 2);
    const double dy = to.y - from.y;
    const double level = dx >= 0 ? 0 : std::max(0.0, 100 - std::abs(dy));
    const double round = std::clamp((-dx - 600) / 6, 0.0, 360.0);
    const double rise = level + (dy > 100 ? -round : round);
    return {from, {from.x + tangent, from.y - rise}, {to.x - tangent, to.y - rise}, to};
}

} // namespace unroll
