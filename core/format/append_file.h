// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/file_calls.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace unroll::format {

/// A log that only grows, for metrics and events: records reach the system at once, whole and in order. When the disk
/// is full the run goes on: what could not be written is held (up to `kHoldLimit` bytes), a half-written record is cut
/// off again, and each later append tries again. One owner, one thread.
class AppendFile {
public:
    enum class Start {
        New,      ///< must not exist
        Replace,  ///< emptied if it exists
        Continue, ///< goes on at the end; created if absent
    };

    static constexpr std::size_t kHoldLimit = 8 << 20;

    static Result<AppendFile> open(const std::filesystem::path& path, Start start, FileCalls& calls = systemCalls());

    AppendFile(AppendFile&& other) noexcept;
    AppendFile& operator=(AppendFile&& other) noexcept;
    /// Tries once more to write what is held.
    ~AppendFile();

    /// Adds one record. The error comes on the first failure of a row of failures only; `failing` tells the state
    /// after.
    Result<void> append(std::string_view record);

    /// As `append`, for a header: a failure is not told here but by the next append, so that a run may start on a full
    /// disk.
    void begin(std::string_view header);

    /// Tries to write what is held and to bring the file to the disk. Always tells the outcome.
    Result<void> sync();

    bool failing() const { return m_failing; }
    /// Records given up because the held bytes reached their limit: the newest are given up, so that no header is lost.
    std::uint64_t lostRecords() const { return m_lostRecords; }
    const std::filesystem::path& path() const { return m_path; }

private:
    AppendFile(std::filesystem::path path, FileCalls& calls);

    bool cutTorn();
    bool drain();
    Error failure(int errnoValue) const;
    void close();

    std::filesystem::path m_path;
    FileCalls* m_calls;
    int m_file = -1;
    std::uint64_t m_wholeBytes = 0; // end of the last whole record
    bool m_torn = false;            // the file may reach past m_wholeBytes
    std::string m_held;
    bool m_failing = false;
    std::uint64_t m_lostRecords = 0;
};

} // namespace unroll::format
