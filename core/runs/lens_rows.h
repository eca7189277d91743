// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/jsonl.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace unroll {

/// lenses.jsonl of a run: what lenses keep over training, a row for each lens and step, each number named LENS/NAME.
/// The file begins with its first row. Failures as in AppendFile. `run`: the run's folder, which may be moved
/// meanwhile.
class LensRows {
public:
    /// Goes on after the checkpoint of `step`: later rows and a torn last line are dropped.
    Result<void> resume(const std::filesystem::path& run, std::int64_t step);
    Result<void> add(const std::filesystem::path& run, const format::LogRow& row);
    /// All rows again, in place of those that are there. On an error the file is as it was, and goes on.
    Result<void> replace(const std::filesystem::path& run, std::span<const format::LogRow> rows);
    Result<void> sync();
    bool failing() const { return m_file && m_file->failing(); }
    std::filesystem::path path() const { return m_file ? m_file->path() : std::filesystem::path(); }
    std::uint64_t lostRecords() const { return m_file ? m_file->lostRecords() : 0; }

    static std::filesystem::path file(const std::filesystem::path& run) { return run / "lenses.jsonl"; }
    /// The rows of a run; none where it has no such file.
    static Result<std::vector<format::LogRow>> read(const std::filesystem::path& run);

private:
    std::optional<format::JsonlWriter> m_file;
};

} // namespace unroll
