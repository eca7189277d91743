// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/data_note.h"
#include "core/data/table_format.h"
#include "core/data/time_stamp.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// One column of numbers, from the first row to the last; NaN where the cell is empty.
struct NumberColumn {
    std::string name; // UTF-8, never empty, no two alike in a table
    std::vector<double> values;

    bool operator==(const NumberColumn&) const = default;
};

/// A column that is not read.
struct LeftOutColumn {
    std::string name;
    std::string why;       // "dates", "words", "empty", or what else is the matter
    OrderTrack dayFirst{}; // of its dates, in the two ways that 03/04/2021 can be read
    OrderTrack monthFirst{};
};

/// A table of numbers: rows are steps in time, the oldest first.
struct NumberTable {
    std::string name; // how sentences call it
    int64_t rows = 0; // of every column
    std::vector<NumberColumn> columns;
    std::vector<LeftOutColumn> leftOut{};
    std::optional<TableFormat> format{}; // how it was written; nothing: it was in no file
    std::vector<DataNote> notes{};       // on how it was read

    const NumberColumn* find(const std::string& column) const
    {
        for (const NumberColumn& each : columns)
            if (each.name == column)
                return &each;
        return nullptr;
    }
};

} // namespace unroll
