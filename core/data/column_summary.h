// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_scale.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// One column as a reader is shown it: of bounded size however many rows there are.
struct ColumnSummary {
    static constexpr int64_t kPlaces = 240; // of the drawing, at most

    std::string name;
    bool isInput = false;
    bool isTarget = false;
    int64_t count = 0;   // numbers that are there
    int64_t missing = 0; // cells that are empty
    double least = 0;    // of the numbers as they stand in the file
    double mean = 0;
    double greatest = 0;
    std::vector<double> low;  // least number at each place from the first row to the last, NaN where none is
    std::vector<double> high; // greatest number there

    bool operator==(const ColumnSummary&) const = default;
};

/// NaN in `values` stands for a missing one.
ColumnSummary summaryOf(const std::string& name, const std::vector<double>& values);

} // namespace unroll
