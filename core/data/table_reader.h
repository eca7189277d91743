// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/number_table.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace unroll {

/// Reads a table of numbers from a text: CSV and its kin. `name` is how errors call it.
///
/// Found out from the first rows: the delimiter (tab, semicolon or comma) and whether a header comes first; without one columns are
/// called 1, 2, 3 ... Numbers have a decimal point whatever the locale, or a decimal comma where the delimiter is none. Empty cells, NA, NaN
/// and null are missing. A column whose first cell that is there is no number is left out, as dates and words are.
/// Errors: nothing in it, UTF-16, a row with more or fewer cells than the first one, a cell that is no number in a column of
/// numbers ("line 17, column 3: "abc" is no number"), quotes that do not fit, no column of numbers, too many columns.
Result<NumberTable> readTable(std::string_view text, const std::string& name);

/// The same for a file. Errors name it: missing, unreadable, larger than the memory that is free (`memoryLimit` bytes; 0: the machine's).
Result<NumberTable> openTable(const std::filesystem::path& file, uint64_t memoryLimit = 0);

/// Cells of one line of names, "a, b" or "a,""b, c""": how a user lists columns.
Result<std::vector<std::string>> readNames(const std::string& list);

} // namespace unroll
