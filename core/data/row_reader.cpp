// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/row_reader.h"

#include "core/base/csv_parser.h"
#include "core/base/utf8.h"
#include "core/data/number_cell.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr size_t kShownCharacters = 30; // of a cell in a sentence
// Bytes that no UTF-8 has: where no sign delimits or quotes.
constexpr unsigned char kNoDelimiter = 0xFF;
constexpr unsigned char kNoQuote = 0xFE;

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

/// Whether some line ends in a CR alone.
bool hasLoneReturns(std::string_view text)
{
    for (size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
        if (at + 1 == text.size() || text[at + 1] != '\n')
            return true;
    return false;
}

} // namespace

std::string quotedCell(std::string_view text)
{
    std::string shown;
    size_t at = 0;
    for (size_t i = 0; i < kShownCharacters && at < text.size(); ++i) {
        const DecodedCharacter decoded = decodeUtf8(text, at);
        appendUtf8(shown, decoded.point < 0x20 || decoded.point == 0x7F ? kReplacementCharacter : decoded.point);
        at += decoded.length;
    }
    return '"' + shown + (at < text.size() ? "…\"" : "\"");
}

bool isRuleRow(const std::vector<std::string>& cells)
{
    size_t drawn = 0;
    bool crossed = false;
    for (const std::string& cell : cells) {
        const std::string_view text = withoutBlanks(cell);
        if (text.empty())
            continue;
        if (text.size() < 3 || text.find_first_not_of("-=:+_") != text.npos || text.find_first_of("-=") == text.npos)
            return false;
        ++drawn;
        crossed = crossed || text.find('+') != text.npos;
    }
    return drawn > 1 || crossed;
}

std::string placeInTable(int64_t line, size_t column)
{
    return fmt::format("line {}, column {}", line, column + 1);
}

std::string_view commentSign(std::string_view line, const std::vector<std::string>& signs)
{
    const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    line.remove_prefix(begin);
    for (const std::string_view sign : signs)
        if (line.starts_with(sign)) {
            return isSpreadsheetError(line.substr(0, line.find_first_of(",;|\t \r\n"))) ? std::string_view() : sign;
        }
    return {};
}

struct RowReader::Lexer final : CsvParser::Taker {
    Lexer(std::string_view all, RowMarks how)
        : text(all), marks(std::move(how)), loneReturns(hasLoneReturns(all)), parser(*this, optionsOf(marks))
    {}
    Lexer(const Lexer&) = delete;
    Lexer& operator=(const Lexer&) = delete;

    /// Strict: what is wrong with quotes is seen, and what may be let pass is fed again as it is. An empty cell comes
    /// as a null pointer, a quoted one does not: runs of blanks leave empty ones between them.
    static CsvParser::Options optionsOf(const RowMarks& marks)
    {
        const auto signOr = [](char sign, unsigned char none) {
            return sign == RowMarks::kNone ? none : static_cast<unsigned char>(sign);
        };
        return {.delimiter = signOr(marks.delimiter, kNoDelimiter),
                .quote = signOr(marks.quote, kNoQuote),
                .strict = true,
                .emptyIsNull = true};
    }

    void takeCell(const char* cell, size_t size) override
    {
        if (cell == nullptr && marks.delimiter == RowMarks::kBlanks)
            return;
        if (count == cells->size())
            cells->emplace_back();
        (*cells)[count++].assign(cell == nullptr ? "" : cell, size);
    }
    void takeRecord() override { whole = true; }

    std::string_view nextLine()
    {
        const std::string_view rest = text.substr(at);
        const size_t end = loneReturns ? rest.find_first_of("\r\n") : rest.find('\n');
        if (end == std::string_view::npos)
            return rest;
        return rest.substr(0, end + (rest.substr(end, 2) == "\r\n" ? 2 : 1));
    }
    /// Passes over lines that hold no row.
    void skip()
    {
        while (at < text.size()) {
            const std::string_view line = nextLine();
            const auto counts = [&](char c) { return c != '\r' && c != '\n' && (!isBlank(c) || c == marks.delimiter); };
            const bool blank = marks.delimiter == RowMarks::kBlanks ? line.find_first_not_of(" \t\r\n") == line.npos
                                                                    : std::none_of(line.begin(), line.end(), counts);
            const std::string_view sign =
                blank || marks.comments.empty() ? std::string_view() : commentSign(line, marks.comments);
            if (!blank && sign.empty())
                return;
            if (blank)
                ++blanksAhead;
            else
                noteComment(line, sign);
            at += line.size();
            ++lineNumber;
        }
    }
    void noteComment(std::string_view line, std::string_view sign)
    {
        ++comments;
        comment = line.substr(line.find(sign) + sign.size());
        comment = comment.substr(0, comment.find_last_not_of("\r\n") + 1);
    }
    Result<void> feed(std::string_view line)
    {
        if (marks.delimiter == RowMarks::kBlanks && line.find('\t') != line.npos) {
            spaced = line;
            std::replace(spaced.begin(), spaced.end(), '\t', ' ');
            line = spaced;
        }
        while (!line.empty()) {
            line.remove_prefix(parser.feed(line));
            if (line.empty())
                break;
            if (parser.lacksMemory())
                return fail("not enough memory for one cell");
            if (parser.isQuoted())
                return fail(placeInTable(quoteLine, count) + ": there is text after the closing quote");
            parser.feedAsItIs(line.front()); // a quote within a word is a sign like others
            line.remove_prefix(1);
        }
        return {};
    }
    Result<bool> next()
    {
        skip();
        count = 0;
        whole = false;
        if (at >= text.size())
            return false;
        blanks += rowLine == 0 ? 0 : blanksAhead;
        blanksAhead = 0;
        rowLine = lineNumber;
        while (at < text.size() && !whole) {
            const std::string_view line = nextLine();
            const bool open = parser.isQuoted();
            if (!open)
                quoteLine = lineNumber;
            if (auto fed = feed(line); !fed)
                return tl::unexpected(fed.error());
            at += line.size();
            ++lineNumber;
            if (!open && parser.isQuoted() && !whole)
                openColumn = count;
        }
        if (!whole && !parser.end())
            return fail(placeInTable(quoteLine, openColumn) + ": unclosed quote");
        return true;
    }

    std::string_view text;
    RowMarks marks;
    bool loneReturns;
    CsvParser parser;
    std::vector<std::string>* cells = nullptr;
    size_t count = 0;   // cells of the row so far
    bool whole = false; // the row has ended
    size_t at = 0;
    int64_t lineNumber = 1;
    int64_t rowLine = 0;
    int64_t quoteLine = 0; // where the open quote is
    size_t openColumn = 0;
    int64_t blanks = 0, blanksAhead = 0, comments = 0;
    std::string_view comment;
    std::string spaced;
};

RowReader::RowReader(std::string_view text, RowMarks marks, int64_t skippedLines)
    : m_lexer(std::make_unique<Lexer>(text, std::move(marks)))
{
    for (int64_t i = 0; i < skippedLines && m_lexer->at < text.size(); ++i) {
        m_lexer->at += m_lexer->nextLine().size();
        ++m_lexer->lineNumber;
    }
}

RowReader::~RowReader() = default;

Result<bool> RowReader::next(std::vector<std::string>& cells)
{
    m_lexer->cells = &cells;
    auto read = m_lexer->next();
    cells.resize(read && *read ? m_lexer->count : 0);
    return read;
}

int64_t RowReader::line() const
{
    return m_lexer->rowLine;
}

int64_t RowReader::blankLines() const
{
    return m_lexer->blanks;
}

int64_t RowReader::commentLines() const
{
    return m_lexer->comments;
}

std::string_view RowReader::lastComment() const
{
    return m_lexer->comment;
}

} // namespace unroll
