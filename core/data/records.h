// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/number_cell.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// A file of records as texts: CSV and its kin, a row each, or JSON Lines, an object each.
struct Records {
    struct Row {
        std::vector<std::string> cells; // one a column; of a key that an object lacks, and of null, empty
        int64_t line = 0;               // where it begins, from 1
    };

    std::string name;               // how sentences call the file
    std::vector<std::string> names; // of the columns; "1", "2" ... where the first row is a record too
    std::vector<Row> rows;
    std::string form; // "rows divided by commas, names in line 1", "JSON Lines"
    bool hasNames = true;
    NumberSigns signs;      // of numbers in it
    int64_t shortRows = 0;  // rows that lack cells at their end
    int64_t firstShort = 0; // line of the first of them

    size_t width() const { return names.size(); }
};

enum class RecordKind { Texts, Numbers };

/// Found out from the whole text: whether it is JSON Lines (it begins with a brace), and of tables of texts the delimiter (tab, semicolon, comma
/// or bar: the one that divides most rows into as many cells as the first), and whether names come first: each cell of the first row is another text,
/// no number, and comes nowhere again below it. Tables of numbers are decided as decideTable() does, with their decimal sign.
/// Errors name the line: no record at all, a row with more cells than the first, quotes that do not fit, a line that is no object.
Result<Records> readRecords(std::string_view text, const std::string& name, RecordKind kind);
/// The same for a file; `memoryLimit` bytes, 0: the machine's.
Result<Records> openRecords(const std::filesystem::path& file, RecordKind kind, uint64_t memoryLimit = 0);

/// The column of this name, or of this number where the file names none. The error lists what there is.
Result<size_t> columnCalled(const Records& records, const std::string& wish);

/// The column that holds classes, where the user has named none: one called label, class, category, target or y in any case; else, of columns
/// whose texts come several times each, the one with the fewest different ones. Error: there is none.
Result<size_t> columnOfLabels(const Records& records);

/// A cell as a number, NaN where one is missing; nothing where it is something else.
std::optional<double> numberIn(std::string_view cell, const NumberSigns& signs);

} // namespace unroll
