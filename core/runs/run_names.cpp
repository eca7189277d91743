// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_names.h"

#include "core/base/nearest.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {

namespace fs = std::filesystem;

namespace {

/// "mine" and "mine-2" are names of runs of "mine", "mine-wide" is not.
bool isNamed(const std::string& folder, const std::string& name)
{
    if (!folder.starts_with(name))
        return false;
    const std::string rest = folder.substr(name.size());
    return rest.empty() || (rest.size() > 1 && rest.front() == '-' &&
                            std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

} // namespace

fs::path freeRunFolder(const fs::path& place, const std::string& name)
{
    std::error_code error;
    fs::path folder = place / name;
    for (int number = 2; fs::exists(fs::symlink_status(folder, error)); ++number)
        folder = place / fmt::format("{}-{}", name, number);
    return folder;
}

fs::path lastRunFolder(const fs::path& place, const std::string& name)
{
    std::error_code error;
    fs::path last;
    fs::file_time_type newest = fs::file_time_type::min();
    for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code unreadable;
        if (!isNamed(entry->path().filename().string(), name) ||
            !fs::exists(entry->path() / "environment.json", unreadable))
            continue;
        if (const auto time = entry->last_write_time(unreadable); last.empty() || time > newest) {
            newest = time;
            last = entry->path();
        }
    }
    return last;
}

fs::path runAround(const fs::path& place)
{
    std::error_code error;
    fs::path folder = fs::weakly_canonical(fs::absolute(place, error), error);
    for (; !folder.empty(); folder = folder.parent_path()) {
        std::error_code unreadable;
        if (fs::exists(folder / "experiment.unroll", unreadable) && fs::exists(folder / "environment.json", unreadable))
            return folder;
        if (folder == folder.root_path())
            break;
    }
    return {};
}

std::string runsNear(const fs::path& path)
{
    std::error_code ignored;
    if (const fs::path around = fs::exists(path, ignored) ? runAround(path) : fs::path(); !around.empty())
        return fmt::format("; it lies in the run {}", around.string());
    const std::string word = path.filename().string();
    std::vector<std::string> names;
    std::vector<fs::path> places = {path.has_parent_path() ? path.parent_path() : fs::path(".")};
    if (!path.has_parent_path())
        places.emplace_back("runs");
    for (const fs::path& place : places) {
        std::error_code error;
        for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
            std::error_code unreadable;
            if (fs::exists(entry->path() / "environment.json", unreadable))
                names.push_back(entry->path().lexically_normal().string());
        }
    }
    std::vector<std::string> near;
    for (const std::string& name : names)
        if (!nearestNames(word, {fs::path(name).filename().string()}).empty())
            near.push_back(name);
    std::sort(near.begin(), near.end());
    near.resize(std::min<std::size_t>(near.size(), 3));
    return near.empty() ? std::string() : fmt::format("; did you mean {}?", fmt::join(near, " or "));
}

Result<void> outsideRuns(const fs::path& place)
{
    const fs::path run = runAround(place);
    if (run.empty())
        return {};
    return fail(fmt::format("lies in the folder of the run {}; name a place outside it", run.string()), place.string());
}

} // namespace unroll
