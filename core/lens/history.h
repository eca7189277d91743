// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace unroll {

/// A number that a lens keeps of a model: "auc.in_quotes", 0.93. The name has no '/'.
struct LensNumber {
    std::string name;
    double value = 0;
};

/// What a lens has kept of a model over training, a column for each number.
struct LensHistory {
    std::vector<std::int64_t> steps;                   ///< updates behind each row, growing
    std::map<std::string, std::vector<double>> values; ///< by name, as many as steps; NaN: not known there

    /// A row behind the last one; a step that is not behind it takes the place of those from there on.
    void add(std::int64_t step, const std::vector<LensNumber>& numbers);
    /// Leaves out what comes behind the step.
    void cutBehind(std::int64_t step);
    /// Leaves out every second row, but for the newest.
    void thin();

    bool operator==(const LensHistory&) const = default;
};

/// By LensSpec::id.
using LensHistories = std::map<std::string, LensHistory>;

/// One number over training, without the rows where it is not known.
struct LensCurve {
    std::string name; ///< behind the prefix
    std::vector<double> steps, values;
};

/// Those whose name begins with the prefix, by name.
std::vector<LensCurve> curvesOf(const LensHistory& history, const std::string& prefix);

} // namespace unroll
