// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/python_tool.h"

#include "app/cli/become_python.h"
#include "app/cli/terminal.h"

#include "core/experiment/gallery.h"

#include <filesystem>
#include <utility>

namespace unroll::cli {
namespace {

namespace places = std::filesystem;

/// app/study of the source tree, or where it is installed: beside the experiments.
places::path toolFolder()
{
    const places::path resources = resourceFolder();
    std::error_code error;
    for (const places::path& folder : {resources / "study", resources.parent_path() / "app" / "study"})
        if (places::exists(folder / "__main__.py", error))
            return places::weakly_canonical(folder, error);
    return {};
}

} // namespace

int becomePythonTool(std::vector<std::string> words)
{
    const places::path folder = toolFolder();
    if (folder.empty())
        return tellError({"the program for searches and races (study/) is not beside the experiments; UNROLL_RESOURCES "
                          "names a folder without it",
                          resourceFolder().string()});
    std::error_code error;
    const std::string self = places::read_symlink("/proc/self/exe", error).string();
    words.insert(words.begin(), folder.string());
    words.insert(words.end(), {"--cli", self});
    return becomePython(std::move(words), "3.11");
}

} // namespace unroll::cli
