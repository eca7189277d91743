// SPDX-License-Identifier: GPL-3.0-or-later
// What some steps of a linear recurrence do to its state, as one map. Composing maps is associative, which is what lets
// the steps of a column be walked in chunks (Blelloch 1990, "Prefix Sums and Their Applications", section 1.4).
#pragma once

#include "core/kernels/scan/rows.h"

namespace unroll::kernels {

/// state -> factor * state + offset. A factor product that leaves the range of the type is infinite though the states
/// may be finite, where |factor| > 1 lasts: 128 steps of 2 in fp32.
template <typename State>
struct AffineMap {
    State factor, offset;

    UNROLL_HOST_DEVICE static AffineMap identity() { return {State(1), State(0)}; }
    UNROLL_HOST_DEVICE State operator()(State state) const { return factor * state + offset; }
    /// This map, then `next`.
    UNROLL_HOST_DEVICE AffineMap then(const AffineMap& next) const { return {next.factor * factor, next(offset)}; }
};

} // namespace unroll::kernels
