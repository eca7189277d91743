// SPDX-License-Identifier: GPL-3.0-or-later
// Where the modulus of a decay begins: uniform by area in a ring, as in Orvieto et al. 2023. Standard library only.
#pragma once

#include <algorithm>

namespace unroll::nodes {

/// Radii of a ring, 0..1. The squared modulus is uniform between least() and most(), which keep from 0 and 1: their
/// logarithms are infinite or 0, and there nothing would move a weight again.
struct Ring {
    double inner, outer;

    static constexpr double kEdge = 0x1p-24;

    double least() const { return std::clamp(inner * inner, kEdge, 1 - kEdge); }
    double most() const { return std::clamp(outer * outer, kEdge, 1 - kEdge); }
};

} // namespace unroll::nodes
