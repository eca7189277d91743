// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/data_note.h"
#include "core/data/table_format.h"

namespace unroll {

/// What was found of a table before its numbers are read.
struct TableDecision {
    TableFormat format;
    std::vector<std::string> names; // of every column as it is written; empty: it has none
    std::vector<bool> isNumbers;    // by column
    size_t cells = 0;               // of a row, empty ones at its end included that belong to no column
    std::string doubt;              // what may be the matter if the first row cannot be read
    std::vector<DataNote> notes;    // what the file leaves open, and what was taken for what
};

/// Decides how a table is written, from all of its rows: a pure function of the text (UTF-8, without byte order mark)
/// and of what the user has set. Every sign that some number can only have in one way counts; where two contradict each
/// other the error names both lines. Errors: no rows, no column of numbers, too many columns, quotes that do not fit,
/// names that do not fit the rows below.
Result<TableDecision> decideTable(std::string_view text, const TableChoices& choices);

} // namespace unroll
