// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// A gate below this is closed, above that it is open: the bounds of Karpathy, Johnson, Fei-Fei 2015, arXiv:1506.02078.
inline constexpr double kClosedGate = 0.1;
inline constexpr double kOpenGate = 0.9;

/// One unit of a gate over all steps of a reading: how many of its values are saturated. What is not a number, or not
/// within 0..1, is left out.
struct GateUnit {
    std::int64_t unit = 0;
    std::int64_t count = 0;  ///< values that were counted
    std::int64_t closed = 0; ///< of these: below 0.1
    std::int64_t open = 0;   ///< of these: above 0.9

    bool operator==(const GateUnit&) const = default;
};

struct GatesData : LensData {
    static constexpr std::size_t kBins = 20;

    std::vector<GateUnit> units; ///< by their index
    std::array<std::int64_t, kBins>
        histogram{}; ///< of all values that were counted: bin b is b/20 .. (b+1)/20, 1 is in the last one
    std::vector<std::int64_t> byUnit; ///< the same of each unit, [units, kBins] row by row
    std::vector<double> means;        ///< of each unit's values; NaN where it has none
    bool keeps = false;               ///< the gate, before it is scaled, is the share of a state kept, or replaced
    std::int64_t steps = 0;           ///< of the reading
    std::int64_t missing = 0;         ///< values that are NaN or infinite
    std::int64_t outside = 0;         ///< numbers that are not within 0..1
    std::string name;                 ///< "lstm f"
    std::string scale;                ///< the signal m by which the gate is scaled; empty: none
    std::string of;                   ///< what was read

    Figure figure() const override;
};

/// Everything of a GatesData but its names, from a signal that is a gate. O(steps x width).
GatesData gateCounts(const SignalFrame& frame);

} // namespace unroll
