// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/append_file.h"
#include "core/format/log_row.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace unroll::format {

/// Writes metrics as one JSON object a line: {"step":1,"train/loss":2.5}. JSON knows no NaN and no infinity: they are
/// the strings "NaN", "Infinity" and "-Infinity". Failures as in AppendFile.
class JsonlWriter {
public:
    /// A new file in place of any old one.
    static Result<JsonlWriter> create(const std::filesystem::path& path, FileCalls& calls = systemCalls());

    /// Goes on after the checkpoint of `lastStep`: later rows and a torn last line are dropped, lines that are not ours
    /// are kept. The file is replaced as a whole, or left alone on failure. An absent file is created.
    static Result<JsonlWriter> resume(const std::filesystem::path& path, std::int64_t lastStep,
                                      FileCalls& calls = systemCalls());

    Result<void> write(std::span<const LogRow> rows);
    Result<void> sync() { return m_file.sync(); }
    bool failing() const { return m_file.failing(); }
    std::uint64_t lostRecords() const { return m_file.lostRecords(); }
    const std::filesystem::path& path() const { return m_file.path(); }

private:
    explicit JsonlWriter(AppendFile file);

    AppendFile m_file;
};

/// The rows of such a file, in its order. Lines that are not ours and a torn last line are skipped. An error: the
/// file cannot be read.
Result<void> readJsonlRows(const std::filesystem::path& path, const std::function<void(LogRow)>& take);

/// The row as one JSON object without a line end.
std::string jsonOf(const LogRow& row);

} // namespace unroll::format
