// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/number_cell.h"
#include "core/data/row_reader.h"
#include "core/data/text_encoding.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// How a table is written: all that is decided before its numbers are read.
struct TableFormat {
    TextEncoding encoding = TextEncoding::Utf8;
    RowMarks marks;                   // delimiter, quote, comments
    NumberSigns signs;                // decimal and thousands sign
    bool usesDecimals = false;        // some number has a fraction, or a sign that could be one
    int64_t skippedLines = 0;         // at the top: no part of the table
    int64_t headerRows = 0;           // behind them; the first one has the names
    bool namesAreComment = false;     // the names stand in a line of comment
    std::vector<std::string> missing; // words in columns of numbers that stand for none, as they are written

    bool operator==(const TableFormat&) const = default;
};

/// What a user has set of it, as texts; empty or "auto": found from the file. Signs may be named: "semicolon", "tab",
/// "point", "space".
struct TableWishes {
    std::string delimiter{};  // one sign, or "spaces", or "none"
    std::string decimal{};    // . or ,
    std::string thousands{};  // . , ' space none
    std::string headerRows{}; // a number
    std::string skipRows{};   // lines at the top, a number
    std::string comment{};    // how such a line begins, or "none"
    std::string missing{};    // words with commas between: missing besides those that always are
    std::string quote{};      // one sign, or "none"
    std::string encoding{};

    bool operator==(const TableWishes&) const = default;
};

/// The wishes as values; nothing where a thing is to be found out.
struct TableChoices {
    std::optional<char> delimiter;
    std::optional<char> decimal;
    std::optional<GroupSign> thousands;
    std::optional<int64_t> headerRows;
    std::optional<int64_t> skippedLines;
    std::optional<std::vector<std::string>> comments;
    std::vector<std::string> missing;
    std::optional<char> quote;
    std::optional<TextEncoding> encoding;
};

/// Errors have the parameter of the data block as their place: "delimiter", "decimal", "thousands", "header_rows",
/// "skip_rows", "comment", "missing", "quote", "encoding".
Result<TableChoices> choicesOf(const TableWishes& wishes);

/// The wishes, and the delimiter and the signs of a format for what they leave open.
TableWishes wishesLike(TableWishes wishes, const TableFormat& format);

/// "semicolon-separated, decimal comma, thousands point, 1 header row; missing: ?"
std::string formatText(const TableFormat& format);

/// As a parameter has it: "semicolon", "."
std::string delimiterWord(char delimiter);
std::string groupWord(GroupSign sign);

} // namespace unroll
