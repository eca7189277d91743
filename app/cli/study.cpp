// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/python_tool.h"
#include "app/cli/verbs.h"

#include "core/experiment/settings.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace unroll::cli {
namespace {

struct StudyVerbOptions {
    std::string file;
    std::string format = "text";
    std::int64_t workers = 1;
    std::int64_t threads = 0;
    std::int64_t trials = 0;
    bool show = false, dryRun = false, json = false, quiet = false;
};

int study(const StudyVerbOptions& options)
{
    std::vector<std::string> words{"study", options.file, "--format", options.format};
    for (const auto& [name, number] : {std::pair("--workers", options.workers), std::pair("--threads", options.threads),
                                       std::pair("--trials", options.trials)})
        if (number > 0)
            words.insert(words.end(), {name, std::to_string(number)});
    for (const auto& [name, given] : {std::pair("--show", options.show), std::pair("--dry-run", options.dryRun),
                                      std::pair("--json", options.json), std::pair("--quiet", options.quiet)})
        if (given)
            words.emplace_back(name);
    return becomePythonTool(std::move(words));
}

} // namespace

void addStudy(CLI::App& app, Action& chosen)
{
    constexpr std::int64_t kMostWorkers = 1024;
    auto options = std::make_shared<StudyVerbOptions>();
    CLI::App* verb = app.add_subcommand("study", "Search for good settings: many trainings, chosen by Optuna");
    verb->add_option("FILE", options->file, "a study.toml: experiment, space, objective, sampler, pruner, budget")
        ->required();
    addWhole(
        *verb, "--workers", [options](std::int64_t workers) { options->workers = workers; }, 1, kMostWorkers,
        "parallel trainings, each in its own process; the same command on other machines adds more");
    addWhole(
        *verb, "--threads", [options](std::int64_t threads) { options->threads = threads; }, 1, kMostThreads,
        "CPU threads of each training; default: all cores, divided among the workers");
    addWhole(
        *verb, "--trials", [options](std::int64_t trials) { options->trials = trials; }, 1, 1'000'000,
        "trials of the study in all, in place of those of FILE's budget");
    verb->add_flag("--show", options->show, "print what was found so far, best first, and end");
    verb->add_option("--format", options->format, "with --show: text, csv, json or markdown")
        ->check(oneOf({"text", "csv", "json", "markdown"}))
        ->capture_default_str();
    verb->add_flag("--dry-run", options->dryRun, "print the space and the other settings of FILE, train nothing");
    verb->add_flag("--json", options->json, "each trial and the end as JSON, one object per line");
    verb->add_flag("--quiet", options->quiet, "no progress, no messages");
    verb->footer(
        "Ctrl-C saves checkpoints and stops; the same command continues. Needs Python with Optuna: ./dev study "
        "installs it, UNROLL_PYTHON names another Python.");
    verb->callback([options, &chosen] { chosen = [options] { return study(*options); }; });
}

} // namespace unroll::cli
