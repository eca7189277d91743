// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/row_reader.h"

#include <fmt/format.h>

namespace unroll {

std::string placeInTable(int64_t line, size_t column)
{
    return fmt::format("line {}, column {}", line, column + 1);
}

void RowReader::skipBlanks()
{
    while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t') && m_text[m_at] != m_delimiter)
        ++m_at;
}

void RowReader::passLineEnd()
{
    m_at += m_text.substr(m_at, 2) == "\r\n" ? 2 : 1;
    ++m_line;
}

void RowReader::skipBlankLines()
{
    while (m_at < m_text.size()) {
        const size_t begin = m_at;
        skipBlanks();
        if (m_at < m_text.size() && !atLineEnd()) {
            m_at = begin;
            return;
        }
        if (m_at < m_text.size())
            passLineEnd();
    }
}

Result<bool> RowReader::next(std::vector<std::string>& cells)
{
    skipBlankLines();
    cells.clear();
    if (m_at >= m_text.size())
        return false;
    m_rowLine = m_line;
    for (;;) {
        cells.emplace_back();
        if (const auto read = readCell(cells.back(), cells.size() - 1); !read)
            return tl::unexpected(read.error());
        if (m_at >= m_text.size())
            return true;
        if (atLineEnd()) {
            passLineEnd();
            return true;
        }
        ++m_at; // the delimiter
    }
}

Result<void> RowReader::readCell(std::string& cell, size_t column)
{
    skipBlanks();
    if (m_at < m_text.size() && m_text[m_at] == '"')
        return readQuoted(cell, column);
    const size_t begin = m_at;
    while (m_at < m_text.size() && m_text[m_at] != m_delimiter && !atLineEnd())
        ++m_at;
    cell = m_text.substr(begin, m_at - begin);
    cell.erase(cell.find_last_not_of(" \t") + 1);
    return {};
}

/// Two quotes stand for one; line ends belong to the cell.
Result<void> RowReader::readQuoted(std::string& cell, size_t column)
{
    const std::string place = placeInTable(m_line, column);
    for (++m_at; m_at < m_text.size(); ++m_at) {
        const bool quote = m_text[m_at] == '"';
        if (quote && (m_at + 1 == m_text.size() || m_text[m_at + 1] != '"'))
            break;
        m_line += m_text[m_at] == '\n';
        cell += m_text[m_at];
        m_at += quote ? 1 : 0;
    }
    if (m_at >= m_text.size())
        return fail(place + ": the quote that opens here is never closed");
    ++m_at;
    skipBlanks();
    if (m_at < m_text.size() && m_text[m_at] != m_delimiter && !atLineEnd())
        return fail(place + ": there is text behind the closing quote");
    return {};
}

} // namespace unroll
