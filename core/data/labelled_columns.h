// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/labelled_series.h"
#include "core/data/records.h"

namespace unroll {

/// What the columns of labelled series are for.
struct LabelledColumns {
    size_t label = 0;
    std::optional<size_t> id; // rows with the same text in it are one series; none: each row is
    std::vector<size_t> inputs;
    std::vector<std::string> leftOut; // names of columns that hold no numbers
};

/// As the options have it, else found from the records. Errors have the option as their place, or name the line of a
/// cell that is not a number.
Result<LabelledColumns> labelledColumns(const Records& records, const LabelledSeriesOptions& options);

/// Rows that lack cells: a row that is a series may be shorter than others, but not end before its label. The error
/// names the first one.
Result<void> refuseShort(const Records& records, const LabelledColumns& columns);

} // namespace unroll
