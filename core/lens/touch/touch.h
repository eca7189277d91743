// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// A class and its probability, untouched and touched.
struct TouchedChance {
    std::string label;
    double before = 0;
    double after = 0;
};

/// Predictions of one target column in its own units.
struct TouchedColumn {
    std::string column;
    std::vector<double> right;         ///< [T]; NaN where there is no target
    std::vector<double> before, after; ///< [T]
};

/// A reading under edits beside the untouched one. The untouched numbers are those of a pass without an editor, to the
/// bit.
struct TouchData : LensData {
    std::string edits;                   ///< as text, in the one way they are written
    std::vector<std::string> characters; ///< a label a step; empty where numbers are read
    std::int64_t steps = 0;              ///< T
    std::string lossUnit;                ///< "nats", "squared error"
    std::vector<double> before, after;   ///< loss a step, [T]; NaN where nothing is asked
    /// Of the touched distribution from the untouched one, KL in nats, [T]; empty where numbers are predicted.
    std::vector<double> divergence;
    double meanBefore = 0, meanAfter = 0; ///< over the steps that ask; NaN where none does
    std::int64_t asking = 0;              ///< steps that ask
    std::int64_t missing = 0;             ///< of these: the loss of either side is NaN or infinite
    std::int64_t firstChanged = -1;       ///< step with the first prediction that differs at all; -1: none does
    std::int64_t step = 0;                ///< that `chances` are of
    /// The five likeliest of either side, likeliest untouched first; empty where numbers are predicted.
    std::vector<TouchedChance> chances;
    std::vector<TouchedColumn> columns; ///< where numbers are predicted
    /// What the network writes behind the reading, the likeliest token each time; empty: it writes nothing.
    std::string writtenBefore, writtenAfter;
    std::vector<std::string> notes; ///< what a reader has to know of how it was changed
    std::string of;                 ///< what was read

    Figure figure() const override;
};

} // namespace unroll
