// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/python_package.h"

#include "app/cli/become_python.h"
#include "app/cli/terminal.h"

#include "core/experiment/gallery.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

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
    std::vector<std::string> all{"-B", "-m", module};
    all.insert(all.end(), words.begin(), words.end());
    return becomePython(std::move(all), "3.10");
}

} // namespace unroll::cli
