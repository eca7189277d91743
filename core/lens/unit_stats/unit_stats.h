// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"
#include "core/lens/unit_name.h"

#include <cstdint>
#include <vector>

namespace unroll {

/// One unit over all steps of a probe, in the signal's own units. Values that are NaN or infinite are left out.
struct UnitStats {
    std::int64_t unit = 0;  ///< by its index in the signal; a pair of a complex signal is one unit
    std::int64_t count = 0; ///< values that are numbers
    double mean = 0;        ///< NaN where there are none
    double deviation = 0;   ///< root of the mean squared distance from the mean (divided by count); NaN likewise
};

struct UnitStatsData : LensData {
    std::vector<UnitStats> units; ///< one at least, in the order that was asked for
    std::int64_t steps = 0;       ///< of the probe
    std::int64_t missing = 0;     ///< values left out, of all units
    bool moduli = false;          ///< of a complex signal: what was averaged
    std::string name;             ///< "lstm h"
    std::string of;               ///< what was read
    UnitNames names = {};         ///< of the units

    Figure figure() const override;
};

/// Each unit of the frame by its index. O(steps x width), sums in double.
std::vector<UnitStats> unitStats(const SignalFrame& frame);

} // namespace unroll
