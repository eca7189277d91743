// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/format/file_calls.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace unroll::format {

/// A file that appears whole or not at all. What is written goes to a sibling; `commit` checks its size, syncs it,
/// renames it over the target and syncs the folder. Until then, and after any failure, the target is as it was. A
/// symbolic link is followed, mode and (when the system allows) owner of an older file are kept, and siblings that
/// killed writers left in the folder are swept away on `create`. Errors name the target and the system's reason. Not
/// for several threads at once; several files or processes may write side by side.
class AtomicFile {
public:
    static Result<AtomicFile> create(const std::filesystem::path& target, FileCalls& calls = systemCalls());

    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&& other) noexcept;
    /// Gives up when `commit` was not reached.
    ~AtomicFile();

    /// Small pieces are gathered, so a failure may show only later. After the first one every call, `commit` too, gives
    /// the same error.
    Result<void> write(std::span<const std::byte> bytes);
    Result<void> write(std::string_view text);

    /// Makes the target what was written. An error that says "saved, but" comes after the rename: the new file is
    /// there, yet a power cut could still take it away; any other error leaves the old one.
    Result<void> commit();

    /// Bytes handed to `write` so far.
    std::uint64_t size() const { return m_size; }

private:
    AtomicFile(std::filesystem::path target, FileCalls& calls);

    Result<void> open();
    bool openSibling();
    Result<void> keepModeOf(const struct stat& old);
    Result<void> flush();
    Result<void> finish();
    Result<void> syncFolder();
    tl::unexpected<Error> failNow(std::string_view what, int errnoValue);
    void close();
    void discard();

    std::filesystem::path m_target;  // as asked for: the place errors name
    std::filesystem::path m_real;    // where its symbolic links lead
    std::filesystem::path m_sibling; // empty once renamed or removed
    FileCalls* m_calls;
    int m_file = -1;
    std::uint64_t m_size = 0;
    std::string m_gathered;
    Error m_failure; // of the first failure; an empty message means none
};

/// The whole of `bytes` as a file, by AtomicFile.
Result<void> writeFileAtomically(const std::filesystem::path& target, std::string_view bytes,
                                 FileCalls& calls = systemCalls());

/// Removes what killed AtomicFile writers left in `folder`; a sibling that is still being written is locked and stays.
void sweepStaleSiblings(const std::filesystem::path& folder, FileCalls& calls = systemCalls());

} // namespace unroll::format
