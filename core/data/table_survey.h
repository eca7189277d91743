// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_evidence.h"
#include "core/data/data_note.h"

#include <functional>

namespace unroll {

/// One way to divide a text into rows and cells, with what was seen on the way through all of them.
struct Layout {
    struct Row {
        std::vector<std::string> cells;
        int64_t line = 0;
        std::string commentAbove; // the last line of comment before it
        bool blankAbove = false;  // a blank line stands between it and the row before
    };
    static constexpr size_t kFirst = 1000;

    RowMarks marks;
    int64_t skippedLines = 0;          // at the top: set, or the line that names the delimiter
    size_t width = 0;                  // cells of most rows that have a number
    int64_t rows = 0;                  // all there are
    std::vector<Row> first;            // at most kFirst
    std::vector<ColumnEvidence> later; // of the rows of this width that come behind them
    std::vector<DataNote> notes;
};

/// Finds comments, quote and delimiter: that one under which most of the text is numbers, dates and missing cells in
/// rows of one length. Whether "21,03" is one number or two and "1 019" likewise, the whole column decides.
Result<Layout> findLayout(std::string_view text, const TableChoices& choices);

/// Every row of the text with its line.
Result<void> forEachRow(std::string_view text, const Layout& layout,
                        const std::function<void(const std::vector<std::string>& cells, int64_t line)>& take);

} // namespace unroll
