// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_care.h"

#include "core/base/input_file.h"
#include "core/base/reason.h"
#include "core/format/atomic_file.h"
#include "core/runs/run_summary.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <system_error>

namespace unroll {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestNote = 1 << 16;
constexpr std::size_t kLongestName = 200; ///< bytes; file systems take 255

fs::path noteFile(const fs::path& run)
{
    return run / "note.txt";
}

/// Why this is not a name for a run's folder; empty: it is one.
std::string nameFault(const std::string& name)
{
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (name.find_first_not_of(' ') == std::string::npos)
        return "a run needs a name";
    if (name.size() > kLongestName)
        return fmt::format("a name has at most {} bytes", kLongestName);
    if (name.front() == '.')
        return "a name cannot start with a dot";
    if (name.find('/') != std::string::npos || std::any_of(name.begin(), name.end(), isControl))
        return "a name cannot contain a slash or a line break";
    return {};
}

/// In one call, so that a folder that another program makes meanwhile stays; in two where the file system knows no such
/// call. False: see errno.
bool renameWithoutReplacing(const fs::path& from, const fs::path& to)
{
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    std::error_code error;
    if (fs::exists(to, error)) {
        errno = EEXIST;
        return false;
    }
    return ::rename(from.c_str(), to.c_str()) == 0;
}

} // namespace

std::string readRunNote(const fs::path& run)
{
    return readWholeFile(noteFile(run), kLongestNote).value_or(std::string());
}

Result<void> writeRunNote(const fs::path& run, const std::string& words)
{
    if (words.size() > kLongestNote)
        return fail(fmt::format("a note has at most {} bytes", kLongestNote), run.string());
    if (!words.empty())
        return format::writeFileAtomically(noteFile(run), words);
    std::error_code error;
    fs::remove(noteFile(run), error);
    if (error)
        return fail("the note cannot be removed: " + error.message(), noteFile(run).string());
    return {};
}

Result<fs::path> renameRun(const fs::path& run, const std::string& name)
{
    if (const std::string fault = nameFault(name); !fault.empty())
        return fail(fault);
    if (readRunSummary(run).state == RunState::Running)
        return fail("the run is training; stop it first", run.filename().string());
    const fs::path to = run.parent_path() / name;
    if (to == run)
        return to;
    if (renameWithoutReplacing(run, to))
        return to;
    if (errno == EEXIST)
        return fail("that name is already taken", name);
    return fail("it cannot be renamed: " + reasonOf(errno), run.filename().string());
}

} // namespace unroll
