// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// Two principal components of a signal over a reading.
struct TrajectoryData : LensData {
    enum class Colour { Step, Token, Answer, Feature };

    /// Of each step along the two components, in the signal's units; NaN where a value of the step is not a number.
    std::array<std::vector<double>, 2> scores;
    std::array<std::vector<double>, 2>
        loadings; ///< of each number of the signal, of unit length; the largest in size is positive
    std::array<double, 2> explained{}; ///< share of the variance, 0..1
    std::int64_t width = 0;            ///< numbers of a step: two for a complex unit
    std::int64_t steps = 0;            ///< of the reading
    std::int64_t used = 0;             ///< of these: steps whose values are all numbers, 3 at least
    std::int64_t missing = 0;          ///< values that are NaN or infinite
    std::int64_t step = -1;            ///< the cursor; -1: none
    Colour colour = Colour::Step;
    std::vector<double> shade;       ///< of each step, 0..1; NaN where there is none
    std::vector<double> feature;     ///< of each step, what the shade stands for where it is a feature; else empty
    std::string featureWords;        ///< "quotations: 1 inside quotations, else 0"
    std::vector<std::string> labels; ///< of the steps; may be empty
    std::string name;                ///< "lstm h"
    std::string of;                  ///< what was read

    Figure figure() const override;
};

/// Scores, loadings and shares of variance of a signal, by the singular value decomposition of its centred values in
/// double. Errors: fewer than 3 steps whose values are all numbers, values that do not change. O(steps x width x
/// min(steps, width)).
Result<TrajectoryData> principalComponents(const SignalFrame& frame);

} // namespace unroll
