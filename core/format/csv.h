// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/append_file.h"
#include "core/format/log_row.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll::format {

/// The text as a cell of RFC 4180: in quotes where it needs them.
std::string csvCell(std::string_view text);

/// A metrics file as read back.
struct LogTable {
    std::vector<std::string> columns; // without `step`, which comes first in the file
    std::vector<LogRow> rows;
};

/// The columns of a metrics file after `step`, and the text they give.
class CsvColumns {
public:
    /// An error when a name comes twice or is "step".
    static Result<CsvColumns> from(std::vector<std::string> names);

    const std::vector<std::string>& names() const { return m_names; }
    std::string header() const;
    /// Appends the row's line; an error, and nothing appended, when a value's name is not a column.
    Result<void> appendRow(std::string& out, const LogRow& row) const;

private:
    std::vector<std::string> m_names;
    std::map<std::string, std::size_t, std::less<>> m_index;
};

/// Writes metrics as CSV (RFC 4180: lines end in CR LF, cells are quoted where needed): the header once, then one line
/// a row, `step` first, cells without a value empty. Each group of rows goes to the system in one write. A full disk
/// does not stop the run: see AppendFile.
class CsvWriter {
public:
    /// A new file in place of any old one.
    static Result<CsvWriter> create(const std::filesystem::path& path, std::vector<std::string> columns,
                                    FileCalls& calls = systemCalls());

    /// Goes on with a file after the checkpoint of `lastStep`: later rows and a torn last line are dropped, columns
    /// that are new are added on the right. The file is replaced as a whole, or left alone on failure. An absent file
    /// is created.
    static Result<CsvWriter> resume(const std::filesystem::path& path, std::vector<std::string> columns,
                                    std::int64_t lastStep, FileCalls& calls = systemCalls());

    const std::vector<std::string>& columns() const { return m_columns.names(); }

    /// A value whose name is not a column is an error, and then none of the rows is written; otherwise errors are
    /// AppendFile::append's.
    Result<void> write(std::span<const LogRow> rows);
    Result<void> sync() { return m_file.sync(); }
    bool failing() const { return m_file.failing(); }
    std::uint64_t lostRecords() const { return m_file.lostRecords(); }
    const std::filesystem::path& path() const { return m_file.path(); }

private:
    CsvWriter(AppendFile file, CsvColumns columns);

    AppendFile m_file;
    CsvColumns m_columns;
};

/// Records of an RFC 4180 text, by libcsv; LF alone is a line end too. A last record without line end was torn by a
/// crash and is left out.
std::vector<std::vector<std::string>> parseCsv(std::string_view text);

/// The names behind `step` of a metrics file's first record.
Result<std::vector<std::string>> logColumns(const std::vector<std::string>& record);

/// A later record of a metrics file as a row; empty cells are left out. Errors: a cell too many or too few, what is no
/// number.
Result<LogRow> logRow(const std::vector<std::string>& cells, const std::vector<std::string>& columns);

/// Reads what CsvWriter wrote. Errors name the line; a torn last line is left out.
Result<LogTable> readCsvLog(const std::filesystem::path& path);

} // namespace unroll::format
