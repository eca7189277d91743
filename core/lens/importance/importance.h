// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"
#include "core/lens/unit_name.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// What one unit is worth to a reading.
struct UnitImportance {
    std::int64_t unit = 0; ///< by its index in the signal; a pair of a complex signal is one unit
    double rise = 0; ///< of the mean loss, when the unit is taken away at every step; NaN where the loss is not finite
};

struct ImportanceData : LensData {
    std::vector<UnitImportance> units; ///< the largest rise first; those without a number last
    double loss = 0;                   ///< mean over the steps that ask, untouched
    std::int64_t asking = 0;           ///< steps that ask
    std::int64_t steps = 0;
    std::string lossUnit; ///< "nats", "squared error"
    std::string node, signal;
    bool byMean = false; ///< the unit is replaced by its mean over the reading, not by zero
    std::string note;    ///< what a reader has to know of where the signal is changed; may be empty
    std::string of;      ///< what was read
    UnitNames names = {};

    Figure figure() const override;
};

} // namespace unroll
