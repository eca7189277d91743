// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/data_note.h"
#include "core/data/table_format.h"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
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
        size_t given = 0;               // cells that it has itself; the others are empty
    };

    std::string name;               // how sentences call the file
    std::vector<std::string> names; // of the columns; "1", "2" ... where the first row is a record too
    std::vector<Row> rows;
    std::string form; // "comma-separated, names first", "JSON Lines"
    bool hasNames = true;
    NumberSigns signs;                // of numbers in it
    std::vector<std::string> missing; // words for a missing number besides those that always are
    std::optional<size_t>
        series; // the column that says which rows are one object's: its lists have a row for each entry
    std::vector<DataNote> notes;

    size_t width() const { return names.size(); }
    /// The cell as a number, NaN where one is missing; nothing where it is something else.
    std::optional<double> numberIn(std::string_view cell) const;
};

enum class RecordKind { Texts, Numbers };

/// How a file is written is found out from all of it but for what the user has set (see TableWishes). JSON Lines begin
/// with a brace. Of tables of texts the delimiter (tab, semicolon, comma or bar) is the one that divides most rows into
/// as many cells as the first, and names come first where each cell of the first row is another text, no number, and
/// comes nowhere again below it; an index may have no name. Tables of numbers are decided as decideTable() does; rows
/// may differ in length. In JSON Lines of numbers a list has an entry for each step: [1, 2], or [[1, 5], [2, 6]], whose
/// columns are called "key.1", "key.2"; what is not a list is the same at each. Errors name the line: no record at all,
/// a row of texts with more cells than the first, quotes that do not fit, a line that is not an object, lists of one
/// object that differ in length.
Result<Records> readRecords(std::string_view text, const std::string& name, RecordKind kind,
                            const TableWishes& wishes = {});
/// The same for a file; `memoryLimit` bytes, 0: the machine's.
Result<Records> openRecords(const std::filesystem::path& file, RecordKind kind, const TableWishes& wishes = {},
                            uint64_t memoryLimit = 0);

/// The column of this name, or of this number where the file names none. The error lists what there is.
Result<size_t> columnCalled(const Records& records, const std::string& wish);

/// The column that holds classes, where the user has named none: one called label, class, category, target or y in any
/// case; else, of columns with two to half as many different texts as records, one of words in a table of numbers, its
/// first one where nothing is named, or the one with the fewest different texts. Error: there is none.
Result<size_t> columnOfLabels(const Records& records, RecordKind kind);

/// In any case: "Label" is "label".
bool isCalled(const std::string& name, std::initializer_list<std::string_view> usual);

} // namespace unroll
