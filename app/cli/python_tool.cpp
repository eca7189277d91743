// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/python_tool.h"

#include "app/cli/terminal.h"

#include "core/experiment/gallery.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

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

std::string pythonProgram()
{
    if (const char* named = std::getenv("UNROLL_PYTHON"); named != nullptr && *named != '\0')
        return named;
    std::error_code error;
    const places::path own = resourceFolder().parent_path() / ".venv" / "bin" / "python";
    return places::exists(own, error) ? own.string() : "python3";
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
    const std::string python = pythonProgram();
    words.insert(words.begin(), {python, folder.string()});
    words.insert(words.end(), {"--cli", self});
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(python.c_str(), arguments.data());
    return tellError({fmt::format("cannot be started: {}; name a Python 3.11 or newer: UNROLL_PYTHON=/path/to/python",
                                  std::strerror(errno)),
                      python});
}

} // namespace unroll::cli
