// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/experiment/gallery.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace unroll::cli {
namespace {

struct SyncOptions {
    std::vector<std::string> runs;
    std::string to, at, project, name;
    double every = 2;
    bool follow = false, offline = false, quiet = false;
};

/// What holds the Python package unroll_runs: app/python of the source tree, or where it is installed, beside the
/// experiments.
std::filesystem::path senderFolder()
{
    const std::filesystem::path resources = resourceFolder();
    std::error_code error;
    for (const auto& folder : {resources / "python", resources.parent_path() / "app" / "python"})
        if (std::filesystem::exists(folder / "unroll_runs" / "__init__.py", error))
            return std::filesystem::weakly_canonical(folder, error);
    return {};
}

std::string senderPython()
{
    if (const char* named = std::getenv("UNROLL_PYTHON"); named != nullptr && *named != '\0')
        return named;
    std::error_code error;
    const auto own = resourceFolder().parent_path() / ".venv" / "bin" / "python";
    return std::filesystem::exists(own, error) ? own.string() : "python3";
}

std::vector<std::string> senderWords(const SyncOptions& options, const std::string& python)
{
    std::vector<std::string> words{python, "-B", "-m", "unroll_runs.sync", "--to", options.to};
    for (const auto& [name, value] : {std::pair("--at", withHome(options.at)), std::pair("--project", options.project),
                                      std::pair("--name", options.name)})
        if (!value.empty())
            words.push_back(fmt::format("{}={}", name, value));
    for (const auto& [name, given] : {std::pair("--follow", options.follow), std::pair("--offline", options.offline),
                                      std::pair("--quiet", options.quiet)})
        if (given)
            words.emplace_back(name);
    words.push_back(fmt::format("--every={}", options.every));
    words.emplace_back("--");
    for (const std::string& run : options.runs)
        words.push_back(withHome(run));
    return words;
}

/// Becomes the Python program; comes back only where that fails.
int syncVerb(const SyncOptions& options)
{
    const std::filesystem::path folder = senderFolder();
    if (folder.empty())
        return tellError({"the Python package unroll_runs is not beside the experiments; UNROLL_RESOURCES names a "
                          "folder without it",
                          resourceFolder().string()});
    const char* before = std::getenv("PYTHONPATH");
    const std::string path =
        before == nullptr || *before == '\0' ? folder.string() : fmt::format("{}:{}", folder.string(), before);
    setenv("PYTHONPATH", path.c_str(), 1);
    const std::string python = senderPython();
    std::vector<std::string> words = senderWords(options, python);
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(python.c_str(), arguments.data());
    return tellError({fmt::format("cannot be started: {}; name a Python 3.10 or newer: UNROLL_PYTHON=/path/to/python",
                                  std::strerror(errno)),
                      python});
}

} // namespace

void addSync(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<SyncOptions>();
    CLI::App* verb = app.add_subcommand("sync", "Bring runs to TensorBoard, MLflow or Weights & Biases");
    verb->add_option("RUN", options->runs, "folders written by train")->required();
    verb->add_option("--to", options->to, "tensorboard, mlflow or wandb")
        ->required()
        ->check(oneOf({"tensorboard", "mlflow", "wandb"}));
    verb->add_option("--at", options->at,
                     "tensorboard: a folder (default: tensorboard); mlflow: a tracking URI (default: "
                     "MLFLOW_TRACKING_URI, or sqlite:///mlflow.db here); wandb: its folder");
    verb->add_option("--project", options->project, "wandb's project, MLflow's experiment; default: unroll");
    verb->add_option("--name", options->name, "the run's name there; default: its folder's");
    verb->add_flag("--offline", options->offline, "wandb: into files that `wandb sync` sends later");
    verb->add_flag("--follow", options->follow, "go on until the run has ended");
    verb->add_option("--every", options->every, "with --follow: seconds between two looks")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    verb->add_flag("--quiet", options->quiet, "no messages but errors");
    verb->footer("Metrics, settings, tags, samples and the summary go by the tracker's own Python library, which is "
                 "installed by pip. What was sent is noted in RUN/synced.json, so nothing is sent twice. UNROLL_PYTHON "
                 "names the Python.");
    verb->callback([options, &chosen] { chosen = [options] { return syncVerb(*options); }; });
}

} // namespace unroll::cli
