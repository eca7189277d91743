// SPDX-License-Identifier: GPL-3.0-or-later
// What every scan walks. No torch, no ownership.
#pragma once

#include "core/kernels/scan/rows.h"

#include <variant>

namespace unroll::kernels {

/// A step, as a walk comes to it.
struct WalkStep {
    std::int64_t step = 0;
    std::int64_t before = 0; ///< the step walked before it
    bool first = true;       ///< nothing was walked before: the state before is the initial one
};

/// The steps of batch x width columns, walked in one direction, some of them masked. The parameters of every scan begin
/// with it.
struct ScanDomain {
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0; ///< in elements; complex ones count once
    bool reverse = false;   ///< the forward pass walks from T-1 down to 0
    StepMask mask;

    /// The step at a position of the forward walk, 0 <= position < steps; at position = steps, one past the last.
    UNROLL_HOST_DEVICE WalkStep at(std::int64_t position) const
    {
        const std::int64_t step = reverse ? steps - 1 - position : position;
        return {step, reverse ? step + 1 : step - 1, position == 0};
    }

    /// What the CPU shares out to its threads: columns of one sequence, each of so many elements of state that lie
    /// together.
    std::int64_t cpuColumns() const { return width; }
    std::int64_t elementsAColumn() const { return 1; }

    /// Whether sizes make sense and all is there that a pass needs: `states` says so of (B,d) arrays and weights,
    /// `sequences` of (T,B,d) ones, which may be absent where they would be empty.
    bool holds(bool states, bool sequences) const
    {
        if (steps < 0 || batch < 0 || width < 0)
            return false;
        const bool columns = batch * width > 0;
        return !columns || (states && (steps == 0 || sequences));
    }
};

/// The passes that the CPU half of a kernel is compiled for: forward and backward in each of the types.
template <template <typename, typename> class Forward, template <typename, typename> class Backward, typename... Ts>
using CpuPass = std::variant<const Forward<Ts, Ts>*..., const Backward<Ts, Ts>*...>;

} // namespace unroll::kernels
