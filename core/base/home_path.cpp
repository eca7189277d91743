// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/home_path.h"

#include <algorithm>
#include <cstdlib>
#include <pwd.h>
#include <unistd.h>
#include <vector>

namespace unroll {
namespace {

/// Of the user's own where the name is empty; empty: unknown.
std::string homeOf(const std::string& user)
{
    if (const char* home = std::getenv("HOME"); user.empty() && home != nullptr && *home != '\0')
        return home;
    std::vector<char> room(1 << 14);
    passwd entry = {};
    passwd* found = nullptr;
    if (user.empty())
        getpwuid_r(getuid(), &entry, room.data(), room.size(), &found);
    else
        getpwnam_r(user.c_str(), &entry, room.data(), room.size(), &found);
    return found == nullptr || found->pw_dir == nullptr ? std::string() : found->pw_dir;
}

} // namespace

std::string withHome(const std::string& path)
{
    if (!path.starts_with('~'))
        return path;
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string home = homeOf(path.substr(1, end - 1));
    return home.empty() ? path : home + path.substr(end);
}

std::filesystem::path pathFrom(const std::filesystem::path& folder, const std::string& path)
{
    const std::filesystem::path whole = withHome(path);
    return whole.empty() || folder.empty() ? whole : folder / whole;
}

PathInFile pathInFile(const std::filesystem::path& path)
{
    std::error_code error;
    std::filesystem::path file = path, inside;
    while (file.has_relative_path() &&
           std::filesystem::status(file, error).type() != std::filesystem::file_type::regular) {
        if (std::filesystem::exists(file, error))
            return {path, {}};
        inside = inside.empty() ? file.filename() : file.filename() / inside;
        file = file.parent_path();
    }
    return inside.empty() || !file.has_relative_path() ? PathInFile{path, {}} : PathInFile{file, inside.string()};
}

} // namespace unroll
