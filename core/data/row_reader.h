// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// What divides a text into rows and cells. The signs are ASCII.
struct RowMarks {
    static constexpr char kNone = '\0';
    static constexpr char kBlanks = ' ';

    char delimiter = ',';              // kNone: a row is one cell; kBlanks: any number of blanks and tabs
    char quote = '"';                  // kNone: no sign quotes
    std::vector<std::string> comments; // a line that begins with one of these, behind blanks, is skipped

    bool operator==(const RowMarks&) const = default;
};

/// Walks through a UTF-8 text of rows and cells as RFC 4180 has it, a little wider: any delimiter; lines end in LF, CR
/// LF or CR; blanks around a cell do not count; blank lines are skipped. libcsv finds the cells. The text must
/// outlive the reader.
class RowReader {
public:
    /// `skippedLines` at the top are not part of the table.
    RowReader(std::string_view text, RowMarks marks, int64_t skippedLines = 0);
    ~RowReader();

    /// The next row's cells; false at the end. Errors say line and column: a quote that is never closed, text behind
    /// one that is.
    Result<bool> next(std::vector<std::string>& cells);
    int64_t line() const; // where the row begins that was read last, from 1
    /// So far: lines with nothing in them that have a row before them, and lines of comment.
    int64_t blankLines() const;
    int64_t commentLines() const;
    std::string_view lastComment() const; // without the sign that it begins with

private:
    struct Lexer;
    std::unique_ptr<Lexer> m_lexer;
};

/// The sign that makes this line a comment, or an empty one. What spreadsheets write for an error, as #N/A, begins no
/// comment.
std::string_view commentSign(std::string_view line, const std::vector<std::string>& signs);

/// Whether the cells draw a line, as "---" and "===" below names, or "---+---" in one.
bool isRuleRow(const std::vector<std::string>& cells);

/// The cell as a sentence quotes it: cut where it is long, without what would not show.
std::string quotedCell(std::string_view text);

/// "line 17, column 3"
std::string placeInTable(int64_t line, size_t column);

} // namespace unroll
