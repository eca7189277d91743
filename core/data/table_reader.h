// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/number_table.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace unroll {

/// Reads a table of numbers from the bytes of a file: CSV and its kin. `name` is how errors call it.
///
/// How it is written is found out from all of it (see decideTable) but for what the user has set, and told in the
/// table's notes. Missing cells, empty ones and words as NA, ?, -, null, are NaN. Columns of dates and words are left
/// out. Rows at the end with nothing in them are left out and counted, as are lines of words below the last number.
/// Errors: nothing in it, no text, a row with more or fewer cells than the others, a cell that is not a number in a
/// column of numbers ("line 17, column 3: "abc" is not a number"), numbers written in two ways, quotes that do not fit,
/// no column of numbers, too many columns.
Result<NumberTable> readTable(std::string bytes, const std::string& name, const TableWishes& wishes = {});

/// The same for a file. Errors name it, or the parameter that cannot be as it is: missing, unreadable, larger than the
/// memory that is free (`memoryLimit` bytes; 0: the machine's).
Result<NumberTable> openTable(const std::filesystem::path& file, const TableWishes& wishes = {},
                              uint64_t memoryLimit = 0);

/// Cells of one line of names, "a, b" or "a,""b, c""": how a user lists columns.
Result<std::vector<std::string>> readNames(const std::string& list);

/// The way back.
std::string listOfNames(const std::vector<std::string>& names);

} // namespace unroll
