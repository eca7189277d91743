// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/python_package.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace unroll::cli {
namespace {

struct SyncOptions {
    std::vector<std::string> runs;
    std::string to, at, project, name;
    double every = 2;
    bool follow = false, offline = false, quiet = false;
};

std::vector<std::string> syncWords(const SyncOptions& options)
{
    std::vector<std::string> words{"--to", options.to};
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

} // namespace

void addSync(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<SyncOptions>();
    CLI::App* verb = app.add_subcommand("sync", "Bring runs to TensorBoard, MLflow or Weights & Biases");
    verb->add_option("RUN", options->runs, "folders of runs, of a race, a study.toml, or a folder with runs in it")
        ->required();
    verb->add_option("--to", options->to, "tensorboard, mlflow or wandb")
        ->required()
        ->check(oneOf({"tensorboard", "mlflow", "wandb"}));
    verb->add_option("--at", options->at,
                     "tensorboard: a folder (default: tensorboard); mlflow: a tracking URI (default: "
                     "MLFLOW_TRACKING_URI, or sqlite:///mlflow.db here); wandb: its folder");
    verb->add_option("--project", options->project, "wandb's project, MLflow's experiment; default: unroll");
    verb->add_option("--name", options->name, "the name there of the run, race or study; default: its folder's");
    verb->add_flag("--offline", options->offline, "wandb: write files for a later `wandb sync`");
    verb->add_flag("--follow", options->follow, "continue until the run has ended");
    verb->add_option("--every", options->every, "with --follow: seconds between two checks")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    verb->add_flag("--quiet", options->quiet, "no messages but errors");
    verb->footer(
        "Metrics, settings, tags, samples and the summary go by the tracker's own Python library, which is "
        "installed by pip. What was sent is noted in RUN/synced.json, so nothing is sent twice. UNROLL_PYTHON "
        "names the Python. Runs of a race or a study are a group there: a parent run in MLflow, a group in wandb, "
        "a folder in TensorBoard.");
    verb->callback([options, &chosen] {
        chosen = [options] { return becomePythonPackage("unroll_runs.sync", syncWords(*options)); };
    });
}

} // namespace unroll::cli
