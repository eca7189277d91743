// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/run_checkpoints.h"

#include "core/base/input_file.h"
#include "core/format/atomic_file.h"
#include "core/graph/json.h"

#include <algorithm>
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

tl::unexpected<Error> failure(const std::string& what, const fs::path& place, const std::error_code& error)
{
    return fail(fmt::format("{}: {}", what, error.message()), place.string());
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

} // namespace

RunCheckpoints::RunCheckpoints(fs::path run) : m_folder(std::move(run) / "checkpoints") {}

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

std::optional<std::int64_t> RunCheckpoints::bestStep() const
{
    const fs::path file = m_folder / "best.json";
    const auto text = readWholeFile(file, 4096);
    if (!text)
        return {};
    const auto json = readJson(*text, file.string());
    const Json* step = json ? json->find("step") : nullptr;
    return step == nullptr ? std::nullopt : step->asInt();
}

std::optional<CheckpointPlace> RunCheckpoints::best() const
{
    const auto step = bestStep();
    std::error_code error;
    if (!step || !fs::is_directory(folderOf(*step), error))
        return {};
    return CheckpointPlace{*step, folderOf(*step)};
}

Result<fs::path> RunCheckpoints::begin(std::int64_t step)
{
    const fs::path folder = begunFolderOf(step);
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    if (error)
        return failure("the checkpoint cannot be written", folder, error);
    return folder;
}

void RunCheckpoints::discard(std::int64_t step)
{
    std::error_code ignored; // what is left is swept away when the run is resumed
    fs::remove_all(begunFolderOf(step), ignored);
}

Result<void> RunCheckpoints::finish(std::int64_t step, std::size_t keep)
{
    const fs::path folder = folderOf(step), written = begunFolderOf(step);
    fs::path older = folder;
    older += ".old";
    std::error_code error;
    if (fs::exists(folder, error)) { // a resumed run may come to the same step again
        fs::remove_all(older, error);
        fs::rename(folder, older, error);
    }
    syncFolder(written);
    fs::rename(written, folder, error);
    if (error) {
        std::error_code ignored;
        fs::rename(older, folder, ignored);
        return failure("the checkpoint cannot be put in place", folder, error);
    }
    syncFolder(m_folder);
    fs::remove_all(older, error);
    prune(keep);
    return {};
}

Result<void> RunCheckpoints::markBest(std::int64_t step, double validationLoss)
{
    Json json{JsonObject{}};
    json.add("step", step);
    json.add("val/loss", validationLoss);
    return format::writeFileAtomically(m_folder / "best.json", writeJson(json) + "\n");
}

void RunCheckpoints::prune(std::size_t keep)
{
    const auto best = bestStep();
    const auto places = all();
    std::error_code ignored; // what cannot be removed now is removed after the next checkpoint
    for (std::size_t i = keep; i < places.size(); ++i)
        if (places[i].step != best)
            fs::remove_all(places[i].folder, ignored);
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
        if (path.extension() == ".old" && !fs::exists(whole, error)) // killed between two renames
            fs::rename(path, whole, error);
        else
            fs::remove_all(path, error);
    }
}

} // namespace unroll
