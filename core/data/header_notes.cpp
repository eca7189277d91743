// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/header_notes.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {

namespace {

/// Words of a title stand in columns of their own where blanks divide, and in the only column where nothing does.
bool mayBeTitle(const TableTop& top, const Layout& layout)
{
    const bool one = layout.width == 1;
    const std::string& first = top.names.front();
    return layout.marks.delimiter == RowMarks::kBlanks || (one && std::count(first.begin(), first.end(), ' ') > 1);
}

/// Rows of the header below the names: units, or the names themselves below a title.
void noteRows(TableTop& top, const TableChoices& choices, const Layout& layout)
{
    std::vector<std::string> cells;
    int64_t rows = 0, empty = 0;
    bool doubtful = false;
    for (size_t at = top.named + 1; top.hasNames() && at < top.begin; ++at) {
        const size_t before = cells.size();
        for (const std::string& cell : layout.first[at].cells)
            if (isFilled(cell) && !isRuleRow(layout.first[at].cells)) {
                cells.emplace_back(withoutBlanks(cell));
                doubtful = doubtful || beginsAsNumber(cell, true);
            }
        rows += cells.size() > before;
        empty += std::none_of(layout.first[at].cells.begin(), layout.first[at].cells.end(), isFilled);
    }
    if (empty > 0)
        top.notes.emplace_back("empty-rows", fmt::format("{} between the names and the first number {} left out.",
                                                         counted(empty, "empty row"), empty == 1 ? "is" : "are"));
    if (cells.empty())
        return;
    constexpr size_t kShown = 8;
    const auto end = cells.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, cells.size()));
    DataNote note("header",
                  fmt::format("{} below the names {} read as part of the header: {}{}.",
                              rows == 1 ? "The row" : "The rows", rows == 1 ? "is" : "are",
                              fmt::join(cells.begin(), end, ", "),
                              cells.size() > kShown ? fmt::format(" and {} more", cells.size() - kShown) : ""),
                  doubtful && !choices.headerRows);
    if (!choices.headerRows && mayBeTitle(top, layout)) {
        note.warning = true;
        note.param = "skip_rows";
        note.remedy = "Use the Last of These Rows as Header";
        note.settings = {{"skip_rows", std::to_string(layout.first[top.begin - 1].line - 1)}};
    }
    top.notes.push_back(std::move(note));
}

void noteNoNames(TableTop& top, const TableChoices& choices, const Layout& layout)
{
    if (top.hasNames() || top.begin == 0 || choices.headerRows)
        return;
    DataNote note("header",
                  fmt::format("No header row was found: {} above the numbers {} skipped, as {}.",
                              counted(static_cast<int64_t>(top.begin), "line"), top.begin == 1 ? "is" : "are",
                              quotedCell(fmt::format("{}", fmt::join(layout.first[top.begin - 1].cells, " ")))),
                  true);
    note.param = "skip_rows";
    top.notes.push_back(std::move(note));
}

} // namespace

void noteHeader(TableTop& top, const TableChoices& choices, const Layout& layout)
{
    noteRows(top, choices, layout);
    noteNoNames(top, choices, layout);
}

std::string noNumbers(const TableChoices& choices, const Layout& layout)
{
    const CellJudge judge(choices);
    for (const Layout::Row& row : layout.first)
        for (const std::string& cell : row.cells)
            if (judge.kindOf(cell) == CellKind::Text && beginsAsNumber(cell, true))
                return fmt::format("has no numeric column: {} (line {}) starts as one but is not", quotedCell(cell),
                                   grouped(row.line));
    return "has no numeric column";
}

} // namespace unroll
