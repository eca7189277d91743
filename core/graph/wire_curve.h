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
/// above its nodes; flat, it would cover itself and could not be hit.
inline WireCurve wireCurve(const Place& from, const Place& to)
{
    const double dx = to.x - from.x;
    const double tangent = dx >= 0 ? std::max(40.0, dx / 2) : std::min(260.0, 80 - dx / 2);
    const double rise = dx >= 0 ? 0 : std::max(0.0, 100 - std::abs(to.y - from.y));
    return {from, {from.x + tangent, from.y - rise}, {to.x - tangent, to.y - rise}, to};
}

} // namespace unroll
