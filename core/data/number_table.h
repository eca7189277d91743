// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

/// A table of numbers: rows are steps in time, the oldest first.
struct NumberTable {
    std::string name; // how sentences call it
    int64_t rows = 0; // of every column
    std::vector<NumberColumn> columns;
    std::vector<std::string> leftOut; // names of columns that hold no numbers: dates, words

    const NumberColumn* find(const std::string& column) const
    {
        for (const NumberColumn& each : columns)
            if (each.name == column)
                return &each;
        return nullptr;
    }
};

} // namespace unroll
