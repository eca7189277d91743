// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"
#include "core/experiment/experiment.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace unroll {

/// A whole number that changes an experiment, among bounds.
struct SolvedNumber {
    std::string name; ///< of a parameter, or "frame"
    std::int64_t least = 1;
    std::int64_t most = 1;
    std::function<Result<Experiment>(std::int64_t)> with;
};

/// A value that runs, and the size of the model.
struct WidthTry {
    std::int64_t value = 0;
    double size = 0;
};

struct WidthSearch {
    std::optional<WidthTry> nearest; ///< to the target; nothing: no value that was tried runs
    std::string trouble;             ///< why a value did not run
};

/// The size of a checked experiment as it is to be matched.
using SizeMeasure = std::function<double(const CheckedGraph&, const Experiment&)>;

/// By bisection, each value checked once. The size grows with the number.
WidthSearch searchWidth(const SolvedNumber& number, const std::function<CheckedGraph(const Experiment&)>& check,
                        const SizeMeasure& measure, double target);

} // namespace unroll
