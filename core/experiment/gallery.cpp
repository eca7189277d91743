// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/gallery.h"

#include "core/base/home_path.h"
#include "core/base/nearest.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace unroll {
namespace {

namespace fs = std::filesystem;

bool holdsExperiments(const fs::path& resources)
{
    std::error_code error;
    return fs::is_directory(resources / "experiments", error);
}

/// Beside the program, installed, or somewhere above a build folder.
fs::path besideProgram()
{
    std::error_code error;
    fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path())
        for (const char* place : {"resources", "share/unroll"})
            if (holdsExperiments(folder / place))
                return folder / place;
    return {};
}

} // namespace

fs::path resourceFolder()
{
    if (const char* chosen = std::getenv("UNROLL_RESOURCES"); chosen != nullptr && *chosen != '\0')
        return chosen;
    if (const fs::path found = besideProgram(); !found.empty())
        return found;
    return holdsExperiments(UNROLL_RESOURCES) ? fs::path(UNROLL_RESOURCES) : fs::path();
}

fs::path galleryFolder()
{
    const fs::path resources = resourceFolder();
    return resources.empty() ? resources : resources / "experiments";
}

std::vector<fs::path> galleryExperiments()
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(galleryFolder(), error), end; !error && entry != end; entry.increment(error))
        if (entry->path().extension() == ".unroll")
            found.push_back(entry->path());
    std::sort(found.begin(), found.end());
    return found;
}

Result<fs::path> findExperiment(const std::string& pathOrName)
{
    std::error_code error;
    if (const fs::path path = withHome(pathOrName); fs::exists(path, error))
        return path;
    std::vector<std::string> names;
    for (const fs::path& path : galleryExperiments()) {
        if (path.stem() == pathOrName || path.filename() == pathOrName)
            return path;
        names.push_back(path.stem().string());
    }
    return fail("there is no such file, and no bundled experiment of that name" + suggestion(pathOrName, names),
                pathOrName);
}

} // namespace unroll
