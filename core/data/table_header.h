// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/data_note.h"
#include "core/data/table_survey.h"

#include <limits>

namespace unroll {

/// Where the numbers of a table begin and what stands above them.
struct TableTop {
    size_t begin = 0;                                  // the first row of numbers, among the layout's first ones
    size_t named = std::numeric_limits<size_t>::max(); // the row of names; the largest: there is none
    std::vector<std::string> names;                    // as they are written, of a comment too; empty: there are none
    bool namesAreComment = false;
    std::vector<ColumnEvidence> evidence; // of the rows from begin on, by column
    size_t columns = 0;                   // without those at the end that have neither a name nor a cell
    std::string doubt;                    // what may be the matter if the first row cannot be read
    std::vector<DataNote> notes;

    bool hasNames() const { return named < begin; }
};

/// Finds the first row of numbers: the highest one that fits the columns as the rows below make them. Rows of words
/// directly above it are its header. A row that has numbers or dates where the rows below have them is not header but a
/// row, and what it has besides is an error of that row. Errors: no column of numbers, no row below the header, a
/// header that does not fit.
Result<TableTop> findTop(const TableChoices& choices, const Layout& layout);

} // namespace unroll
