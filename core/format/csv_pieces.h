// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/csv.h"

#include <functional>

namespace unroll::format {

// Metrics files of any length in little memory. As in readCsvLog a torn last line is left out; cells hold no line ends.
// Errors name the file.

/// Hands over every row in the order of the file, one MiB read at a time.
Result<void> readCsvRows(const std::filesystem::path& path, const std::function<void(LogRow row)>& take);

/// The columns and the newest rows: those that lie whole in the last `bytes` of the file.
Result<LogTable> readCsvTail(const std::filesystem::path& path, std::uint64_t bytes);

} // namespace unroll::format
