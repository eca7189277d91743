// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/number_table.h"
#include "core/data/series_dataset.h"

namespace unroll {

/// The columns that the options ask for, each with its scale: a trained model's where the options have them, else of
/// the first `trainingRows` rows. Errors have the option as their place: a column that is not there, that holds no
/// numbers, that comes twice.
Result<SeriesScales> chooseColumns(const NumberTable& table, const SeriesOptions& options, int64_t trainingRows);

/// The names of a list of columns that stay as in the file; none where it is empty. Error, at unscaled_columns: an
/// unclosed quote, or a name that is not of `columns`.
Result<std::vector<std::string>> unscaledNames(const std::string& list, const std::vector<std::string>& columns);

/// An error where a number of the column, once scaled, is beyond single precision: a model would read infinity.
Result<void> staysFinite(const NumberColumn& column, const ColumnScale& scale);

/// What becomes of a missing number.
enum class Gaps {
    Filled, // the number before it stands in; 0 where there is none
    Kept    // NaN
};

/// Columns by the names of the scales, side by side: rows x columns. The names must be there.
std::vector<float> normalised(const NumberTable& table, const std::vector<ColumnScale>& scales, Gaps gaps);

} // namespace unroll
