// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// A number and its 95 % interval.
struct Ranged {
    double value = 0, low = 0, high = 0;
};

/// Mean loss when only the last n steps before a target were read, from a zero state. All contexts are scored on the
/// same targets.
struct ContextLoss {
    std::vector<std::int64_t> context; ///< n, ascending
    std::vector<Ranged> loss;          ///< of each; the interval is over the targets
    std::int64_t targets = 0;
    Ranged fall;   ///< loss with one step minus loss with the longest context, target by target
    Ranged enough; ///< steps with which 95 % of the fall is made
    std::string unit;
    std::string trouble; ///< why there is none; empty: there is

    bool measured() const { return fall.low > 0; } ///< whether more than one step helps at all
};

/// How far back one answer reaches in a reading, and how far back the network's answers reach on average.
struct MemoryData : LensData {
    /// Of each step of the reading: L2 norm of the gradient of the answer with respect to what the step reads, the
    /// vector of its token or its row of numbers as the network reads it. NaN or infinite where the gradient is.
    std::vector<double> gradient;
    std::int64_t step = 0;               ///< where the answer is given, from 0
    bool whole = false;                  ///< one answer is given for the whole reading
    std::string answer;                  ///< in words: "the logit of “e”, which came"
    std::vector<std::string> rounding;   ///< nodes whose gradients are straight-through
    std::vector<std::string> characters; ///< as ProbeFrame::characters
    std::string of;                      ///< as ProbeFrame::of
    bool logarithmic = false;            ///< the axis of the gradient
    ContextLoss curve;

    /// Steps counted back from the answer's own, itself included, that hold this share of all gradient sizes; 0: there
    /// is not a gradient.
    std::int64_t stepsWith(double share) const;
    /// Whether a step behind the answer's has a gradient too.
    bool readsAhead() const;
    Figure figure() const override;
};

} // namespace unroll
