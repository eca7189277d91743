// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_checkpoints.h"

#include "core/base/input_file.h"
#include "core/base/json.h"
#include "core/base/reason.h"
#include "core/format/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fmt/format.h>
#include <string>
#include <system_error>

namespace unroll {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";

/// N of "step-N", nothing for any other name.
std::optional<std::int64_t> stepOf(const std::string& name)
{
    if (!name.starts_with(kPrefix))
        return {};
    std::int64_t step = 0;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + kPrefix.size(), end, step);
    return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(step) : std::nullopt;
}

tl::unexpected<Error> failure(const std::string& what, const fs::path& place, int error)
{
    return fail(fmt::format("{}: {}", what, reasonOf(error)), place.string());
}

/// Brings a folder's list of names to the disk. A file system that cannot is no reason to stop.
void syncFolder(const fs::path& folder)
{
    format::FileCalls& calls = format::systemCalls();
    const int file = calls.open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (file < 0)
        return;
    calls.sync(file);
    calls.close(file);
}

bool isThere(const fs::path& path)
{
    struct stat found = {};
    return format::systemCalls().statusOf(path.c_str(), &found) == 0;
}

/// With all that is in it; what cannot be removed stays.
void removeFolder(const fs::path& folder)
{
    format::FileCalls& calls = format::systemCalls();
    std::error_code error;
    std::vector<fs::path> files, folders;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        (entry->is_directory(error) && !entry->is_symlink(error) ? folders : files).push_back(entry->path());
    for (const fs::path& inner : folders)
        removeFolder(inner);
    for (const fs::path& file : files)
        calls.remove(file.c_str());
    calls.removeFolder(folder.c_str());
}

/// Makes the folder and those above it. False: see errno.
bool makeFolders(const fs::path& folder)
{
    format::FileCalls& calls = format::systemCalls();
    if (calls.makeFolder(folder.c_str(), 0777) == 0 || errno == EEXIST)
        return true;
    return errno == ENOENT && folder.has_parent_path() && folder != folder.parent_path() &&
           makeFolders(folder.parent_path()) && calls.makeFolder(folder.c_str(), 0777) == 0;
}

/// The loss of the checkpoint's evaluation where that was the best so far.
std::optional<double> bestLossIn(const CheckpointPlace& place)
{
    const fs::path file = place.folder / "progress.json";
    const auto text = readWholeFile(file, 1 << 20);
    const auto json = text ? readJson(*text, file.string()) : Result<Json>(tl::unexpected(text.error()));
    const Json* step = json ? json->find("best_step") : nullptr;
    const Json* loss = json ? json->find("best_validation_loss") : nullptr;
    if (step == nullptr || loss == nullptr || step->asInt() != place.step || place.step == 0)
        return {};
    return loss->asReal();
}

} // namespace

RunCheckpoints::RunCheckpoints(const fs::path& run) : m_folder(run / "checkpoints") {}

fs::path RunCheckpoints::folderOf(std::int64_t step) const
{
    return m_folder / fmt::format("{}{}", kPrefix, step);
}

fs::path RunCheckpoints::begunFolderOf(std::int64_t step) const
{
    return m_folder / fmt::format("{}{}.tmp", kPrefix, step);
}

std::vector<CheckpointPlace> RunCheckpoints::all() const
{
    std::vector<CheckpointPlace> found;
    std::error_code error;
    for (fs::directory_iterator entry(m_folder, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path& path = entry->path();
        std::error_code ignored;
        const bool setAside =
            path.extension() == ".old" && !fs::exists(m_folder / path.stem(), ignored); // killed between two renames
        if (const auto step = stepOf(setAside ? path.stem().string() : path.filename().string()))
            found.push_back({*step, path});
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
    return found;
}

std::optional<BestCheckpoint> RunCheckpoints::best() const
{
    std::optional<BestCheckpoint> best;
    for (const CheckpointPlace& place : all()) // of equal ones the newest
        if (const auto loss = bestLossIn(place); loss && (!best || *loss < best->validationLoss))
            best = BestCheckpoint{place, *loss};
    return best;
}

Result<fs::path> RunCheckpoints::begin(std::int64_t step)
{
    const fs::path folder = begunFolderOf(step);
    if (isThere(folder))
        removeFolder(folder);
    if (!makeFolders(folder))
        return failure("the checkpoint cannot be written", folder, errno);
    return folder;
}

void RunCheckpoints::discard(std::int64_t step)
{
    removeFolder(begunFolderOf(step)); // what is left is swept away when the run is resumed
}

Result<void> RunCheckpoints::finish(std::int64_t step, std::size_t keep)
{
    format::FileCalls& calls = format::systemCalls();
    const fs::path folder = folderOf(step), written = begunFolderOf(step);
    fs::path older = folder;
    older += ".old";
    const bool replaces = isThere(folder); // a resumed run may come to the same step again
    if (replaces) {
        removeFolder(older);
        calls.rename(folder.c_str(), older.c_str());
    }
    syncFolder(written);
    if (calls.rename(written.c_str(), folder.c_str()) != 0) {
        const int reason = errno;
        if (replaces)
            calls.rename(older.c_str(), folder.c_str());
        return failure("the checkpoint cannot be put in place", folder, reason);
    }
    syncFolder(m_folder);
    if (replaces)
        removeFolder(older);
    prune(keep);
    return {};
}

void RunCheckpoints::prune(std::size_t keep)
{
    const auto best = this->best();
    const auto places = all();
    for (std::size_t i = keep; i < places.size(); ++i)
        if (!best || places[i].step != best->place.step)
            removeFolder(places[i].folder); // what cannot be removed now is removed after the next checkpoint
}

void RunCheckpoints::sweep()
{
    std::error_code error;
    std::vector<fs::path> left;
    for (fs::directory_iterator entry(m_folder, error), end; !error && entry != end; entry.increment(error))
        if (const auto extension = entry->path().extension(); extension == ".tmp" || extension == ".old")
            left.push_back(entry->path());
    for (const fs::path& path : left) {
        fs::path whole = path;
        whole.replace_extension();
        if (path.extension() == ".old" && !isThere(whole)) // killed between two renames
            format::systemCalls().rename(path.c_str(), whole.c_str());
        else if (fs::is_directory(path, error))
            removeFolder(path);
        else
            format::systemCalls().remove(path.c_str());
    }
}

} // namespace unroll
