// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/append_file.h"
#include "core/format/log_row.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace unroll::format {

/// Writes a TensorBoard event file: framed protobuf records with CRC-32C, readable while it grows. A resumed run opens
/// a new file in the same folder and starts at its checkpoint's step. NaN is written as it is. Failures as in
/// AppendFile.
class TfEventsWriter {
public:
    /// Creates `events.out.tfevents.<seconds>.<host>.<process>.<n>` in `folder`, n the first number that is free.
    /// `wallTime` is in seconds since 1970; it labels the file and its first record and steers nothing.
    static Result<TfEventsWriter> create(const std::filesystem::path& folder, double wallTime,
                                         FileCalls& calls = systemCalls());

    /// Tells readers to drop what older files of the folder hold from `firstStep` on: the run begins again there.
    Result<void> restart(double wallTime, std::int64_t firstStep);
    /// The row's values as scalars, in single precision as the format has it.
    Result<void> scalars(double wallTime, const LogRow& row);
    /// A text for TensorBoard's text tab, which shows it as Markdown.
    Result<void> text(double wallTime, std::int64_t step, std::string_view tag, std::string_view text);

    Result<void> sync() { return m_file.sync(); }
    bool failing() const { return m_file.failing(); }
    std::uint64_t lostRecords() const { return m_file.lostRecords(); }
    const std::filesystem::path& path() const { return m_file.path(); }

private:
    explicit TfEventsWriter(AppendFile file);

    AppendFile m_file;
};

/// One record of an event file: length, masked checksum, data, masked checksum.
std::string tfRecord(std::string_view data);

/// The record of the version that every event file begins with.
std::string tfVersionRecord(double wallTime);

/// The record of one step's scalars.
std::string tfScalarsRecord(double wallTime, const LogRow& row);

} // namespace unroll::format
