// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/piped_data.h"

#include "app/cli/progress_bar.h"
#include "app/cli/terminal.h"

#include "core/base/home_path.h"
#include "core/base/input_file.h"
#include "core/base/memory.h"
#include "core/base/number_text.h"
#include "core/base/reason.h"
#include "core/base/sha256.h"
#include "core/format/atomic_file.h"
#include "core/runs/run_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace unroll::cli {
namespace {

namespace fs = std::filesystem;

bool isPathParam(const BlockRegistry& registry, std::string_view name)
{
    for (const BlockSpec* spec : registry.all())
        if (const ParamSpec* param = spec->param(std::string(name)); param != nullptr && param->type == ParamType::Path)
            return true;
    return false;
}

std::string nameOf(const std::string& path)
{
    return path == "-" ? "standard input" : path;
}

/// An open end of the pipe, closed with it.
struct Source {
    int file = -1;
    explicit Source(const std::string& path)
        : file(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY))
    {}
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source()
    {
        if (file >= 0)
            ::close(file);
    }
};

/// What comes without an end fills no disk: no more is taken than could be read afterwards. Gives the hash.
Result<std::string> copy(const std::string& path, format::AtomicFile& into)
{
    const Source source(path);
    if (source.file < 0)
        return fail("cannot read: " + reasonOf(errno), nameOf(path));
    if (::isatty(source.file) != 0)
        tell("reading data from the terminal; end with Ctrl-D");
    const std::uint64_t most = availableMemory();
    std::vector<char> piece(1 << 20);
    Sha256 sum;
    ReadingLine line;
    for (;;) {
        const ssize_t got = ::read(source.file, piece.data(), piece.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail("cannot read: " + reasonOf(errno), nameOf(path));
        if (got == 0)
            break;
        const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
        sum.add(bytes);
        if (auto written = into.write(bytes); !written)
            return tl::unexpected(written.error());
        if (into.size() > most)
            return fail(fmt::format("has more than {}, and there is not enough memory to read it", sizeText(most)),
                        nameOf(path));
        line.draw(fmt::format("Reading {}: {}", nameOf(path), sizeText(into.size())));
    }
    if (into.size() == 0)
        return fail("is empty", nameOf(path));
    return sum.hex();
}

std::string hashOf(const fs::path& file)
{
    const auto bytes = InputFile::open(file);
    if (!bytes)
        return {};
    Sha256 sum;
    std::string piece;
    for (std::uint64_t at = 0; at < bytes->size(); at += piece.size()) {
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(1 << 20, bytes->size() - at)));
        if (!bytes->readAt(at, std::as_writable_bytes(std::span(piece))))
            return {};
        sum.add(piece);
    }
    return sum.hex();
}

/// Where the data goes: the name of what is there already where that is the same, else the first that is free.
fs::path placeFor(const std::string& hash, const fs::path& run)
{
    for (std::size_t number = 1;; ++number) {
        const fs::path file = RunFolder::pipedData(run, number);
        std::error_code error;
        if (!fs::exists(file, error) || hashOf(file) == hash)
            return file;
    }
}

/// A name of its own in `folder`; the file is there, and empty.
Result<fs::path> newFile(const fs::path& folder)
{
    constexpr std::string_view suffix = ".data";
    std::string name = (folder / "piped-XXXXXX").string() + std::string(suffix);
    const int file = ::mkstemps(name.data(), static_cast<int>(suffix.size()));
    if (file < 0)
        return fail("cannot create a file for the data: " + reasonOf(errno), folder.string());
    ::close(file);
    return fs::path(name);
}

} // namespace

/// Devices are piped too: what /dev/stdin or /dev/fd/63 stand for is another file the next time.
bool isPiped(const std::string& path)
{
    struct stat now = {};
    if (path == "-")
        return true;
    if (::stat(path.c_str(), &now) != 0 || S_ISDIR(now.st_mode))
        return false;
    return !S_ISREG(now.st_mode) || path.starts_with("/dev/") || path.starts_with("/proc/");
}

Result<void> PipedData::take(std::string& path, const fs::path& run)
{
    if (path.empty() || !isPiped(withHome(path)))
        return {};
    std::error_code error;
    m_run = run;
    if (!run.empty())
        fs::create_directories(run, error); // where that fails, making the file says why
    auto created = newFile(run.empty() ? fs::temp_directory_path(error) : run);
    if (!created)
        return tl::unexpected(created.error());
    m_file = *created;
    auto file = format::AtomicFile::create(m_file);
    if (!file)
        return tl::unexpected(file.error());
    const auto hash = copy(withHome(path), *file);
    if (!hash)
        return tl::unexpected(hash.error());
    if (auto written = file->commit(); !written)
        return written;
    if (!run.empty()) {
        const fs::path place = placeFor(*hash, run);
        fs::rename(m_file, place, error);
        if (error)
            return fail("cannot store the data: " + error.message(), place.string());
        m_file = place;
    }
    path = m_file.string();
    m_whole = true;
    return {};
}

PipedData::~PipedData()
{
    std::error_code error;
    if (m_file.empty() || (m_whole && !m_run.empty() && fs::exists(m_run / "environment.json", error)))
        return;
    fs::remove(m_file, error);
    if (!m_run.empty())
        fs::remove(m_run, error); // where nothing else is in it
}

Result<PipedFiles> takePiped(std::string& data, std::vector<std::string>& assignments, const BlockRegistry& registry,
                             const fs::path& run)
{
    PipedFiles files;
    const auto take = [&](std::string& path) {
        files.push_back(std::make_shared<PipedData>());
        return files.back()->take(path, run);
    };
    if (auto taken = take(data); !taken)
        return tl::unexpected(taken.error());
    for (std::string& assignment : assignments) {
        const std::size_t equals = std::min(assignment.find('='), assignment.size());
        const std::string target = assignment.substr(0, equals);
        if (equals == assignment.size() || !isPathParam(registry, target.substr(target.rfind('.') + 1)))
            continue;
        std::string path = assignment.substr(equals + 1);
        if (auto taken = take(path); !taken)
            return tl::unexpected(taken.error());
        assignment = target + "=" + path;
    }
    return files;
}

} // namespace unroll::cli
