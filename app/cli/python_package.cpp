// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/python_package.h"

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

/// app/python of the source tree, or where it is installed: beside the experiments.
std::filesystem::path packageFolder()
{
    const std::filesystem::path resources = resourceFolder();
    std::error_code error;
    for (const auto& folder : {resources / "python", resources.parent_path() / "app" / "python"})
        if (std::filesystem::exists(folder / "unroll_runs" / "__init__.py", error))
            return std::filesystem::weakly_canonical(folder, error);
    return {};
}

std::string packagePython()
{
    if (const char* named = std::getenv("UNROLL_PYTHON"); named != nullptr && *named != '\0')
        return named;
    std::error_code error;
    const auto own = resourceFolder().parent_path() / ".venv" / "bin" / "python";
    return std::filesystem::exists(own, error) ? own.string() : "python3";
}

} // namespace

int becomePythonPackage(const std::string& module, const std::vector<std::string>& words)
{
    const std::filesystem::path folder = packageFolder();
    if (folder.empty())
        return tellError({"the Python packages of Unroll are not beside the experiments; UNROLL_RESOURCES names a "
                          "folder without them",
                          resourceFolder().string()});
    const char* before = std::getenv("PYTHONPATH");
    const std::string path =
        before == nullptr || *before == '\0' ? folder.string() : fmt::format("{}:{}", folder.string(), before);
    setenv("PYTHONPATH", path.c_str(), 1);
    const std::string python = packagePython();
    std::vector<std::string> all{python, "-B", "-m", module};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> arguments;
    for (std::string& word : all)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(python.c_str(), arguments.data());
    return tellError({fmt::format("cannot be started: {}; name a Python 3.10 or newer: UNROLL_PYTHON=/path/to/python",
                                  std::strerror(errno)),
                      python});
}

} // namespace unroll::cli
