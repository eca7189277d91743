// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// Walks through a text of rows and cells as RFC 4180 has it, a little wider: any delimiter; lines end in LF, CR LF or CR; blanks
/// around a cell do not count; blank lines are passed over. The text must outlive the reader.
class RowReader {
public:
    RowReader(std::string_view text, char delimiter) : m_text(text), m_delimiter(delimiter) {}

    /// The next row's cells; false at the end. Errors say line and column: a quote that is never closed, text behind one that is.
    Result<bool> next(std::vector<std::string>& cells);
    int64_t line() const { return m_rowLine; } // where the row begins that was read last, from 1

private:
    bool atLineEnd() const { return m_text[m_at] == '\n' || m_text[m_at] == '\r'; }
    void skipBlanks();
    void skipBlankLines();
    void passLineEnd();
    Result<void> readCell(std::string& cell, size_t column);
    Result<void> readQuoted(std::string& cell, size_t column);

    std::string_view m_text;
    char m_delimiter;
    size_t m_at = 0;
    int64_t m_line = 1;
    int64_t m_rowLine = 0;
};

/// "line 17, column 3"
std::string placeInTable(int64_t line, size_t column);

} // namespace unroll
