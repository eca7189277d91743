// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/experiment_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"
#include "app/cli/train_report.h"
#include "app/cli/verbs.h"

#include "core/session/session.h"
#include "core/train/run_folder.h"
#include "core/train/run_names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace unroll::cli {
namespace {

namespace fs = std::filesystem;

struct TrainVerbOptions {
    std::string file;
    ExperimentOptions experiment;
    std::string init;
    std::string run;
    bool resume = false;
    std::string schedule;
    bool json = false;
    bool quiet = false;
};

/// runs/NAME, or with the first number that is free: runs/NAME-2.
std::string newRunFolder(const std::string& file)
{
    return freeRunFolder("runs", file == "-" ? "experiment" : fs::path(file).stem().string()).string();
}

/// The folder that --resume goes on with: --run, or FILE itself where it is one; else empty.
std::string resumedFolder(const TrainVerbOptions& options)
{
    std::error_code error;
    return options.run.empty() && fs::is_directory(options.file, error) ? options.file : options.run;
}

/// What is wrong with the words of the command; empty: nothing.
std::string usageFault(const TrainVerbOptions& options)
{
    if (!options.schedule.empty() && !options.resume)
        return "--schedule says how the learning rate goes on, so it belongs to --resume";
    if (!options.resume)
        return options.file.empty() ? "name an experiment, or --resume a run" : "";
    if (options.experiment.seed || !options.init.empty())
        return "--seed and --init belong to the start of a run, not to --resume";
    return resumedFolder(options).empty() ? "--resume needs the run's folder: --run DIR" : "";
}

/// The run's own experiment; a FILE beside it must hold the same graph.
Result<Experiment> resumedExperiment(const TrainVerbOptions& options, const std::string& folder)
{
    auto run = RunFolder::open(folder);
    if (!run)
        return tl::unexpected(run.error());
    std::error_code error;
    if (options.file.empty() || fs::is_directory(options.file, error))
        return run->experiment();
    const auto given = readExperiment(options.file);
    if (!given)
        return tl::unexpected(given.error());
    if (!(given->graph == run->experiment().graph) && options.experiment.data.empty())
        return fail(fmt::format("the run in {} trains another graph; resume it without FILE", folder), options.file);
    return run->experiment();
}

struct Prepared {
    Experiment experiment;
    SessionOptions session;
};

Result<Prepared> prepare(const TrainVerbOptions& options, const BlockRegistry& registry)
{
    Prepared prepared;
    Result<Experiment> experiment;
    if (options.resume) {
        prepared.session.runFolder = resumedFolder(options);
        experiment = resumedExperiment(options, prepared.session.runFolder);
    } else {
        prepared.session.runFolder = options.run.empty() ? newRunFolder(options.file) : options.run;
        experiment = readExperiment(options.file);
    }
    if (!experiment)
        return tl::unexpected(experiment.error());
    experiment = adjusted(std::move(*experiment), registry, options.experiment);
    if (!experiment)
        return tl::unexpected(experiment.error());
    prepared.experiment = std::move(*experiment);
    prepared.session.resume = options.resume;
    if (!options.schedule.empty())
        prepared.session.schedule = options.schedule == "keep"      ? Continuation::Keep
                                    : options.schedule == "stretch" ? Continuation::Stretch
                                                                    : Continuation::Restart;
    prepared.session.behindWindow = false;
    prepared.session.initialWeights = options.init;
    return prepared;
}

/// Drives the session until it ends, passing on what it tells; an interrupt stops it once.
void follow(Session& session, TrainReport& report)
{
    constexpr double kLook = 0.05; // seconds
    session.run();
    for (bool stopping = false, ended = false; !ended;) {
        ended = session.finish(kLook);
        if (interrupted() && !stopping && !ended) {
            stopping = true;
            tell("\nstopping: saving a checkpoint (Ctrl-C again ends at once)");
            session.stop();
        }
        const auto rows = session.takeMetrics();
        report.update(rows, *session.snapshot());
    }
}

int exitCode(const Snapshot& snapshot)
{
    if (snapshot.state == RunState::Failed) {
        const auto& problems = snapshot.problems;
        const bool diverged =
            std::any_of(problems.begin(), problems.end(), [](const Diagnostic& d) { return d.code == "not-finite"; });
        return diverged ? kDiverged : kFailed;
    }
    if (!snapshot.runFolder.empty() && snapshot.checkpointed != snapshot.step) {
        tell(fmt::format("error: the weights of step {} are not saved", snapshot.step));
        return kFailed;
    }
    return interrupted() && snapshot.state == RunState::Stopped ? kInterrupted : kOk;
}

int train(const TrainVerbOptions& options)
{
    if (const std::string fault = usageFault(options); !fault.empty()) {
        tell("error: " + fault);
        return kUsage;
    }
    const BlockRegistry registry = allSpecs();
    auto prepared = prepare(options, registry);
    if (!prepared)
        return tellError(prepared.error());
    watchInterrupts();
    TrainReport report(options.file.empty() ? prepared->session.runFolder : options.file, options.json, options.quiet);
    Session session(std::move(prepared->experiment), registry, allBuilders(), std::move(prepared->session));
    follow(session, report);
    const auto last = session.snapshot();
    report.end(*last);
    return exitCode(*last);
}

} // namespace

void addTrain(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<TrainVerbOptions>();
    CLI::App* verb = app.add_subcommand("train", "Train an experiment; writes a run folder");
    verb->add_option("FILE", options->file,
                     "an experiment: a path, a bundled name, - for standard input; with --resume a run's folder");
    addExperimentOptions(*verb, options->experiment, true);
    verb->add_option(
        "--init", options->init,
        "start from the weights in this .safetensors file, or in a run, that fit by name and shape; rows of "
        "characters or columns are matched by symbol");
    verb->add_option("--run", options->run, "folder of the run; without it runs/NAME");
    verb->add_flag("--resume", options->resume, "go on from the newest checkpoint of the run");
    verb->add_option("--schedule", options->schedule,
                     "with --resume, of a cosine's learning rate: keep (it ends as planned and stays there), stretch (it falls "
                     "on from where it is, to the last step) or restart; without it as schedule_on_resume says where the steps "
                     "are others")
        ->check(CLI::IsMember({"keep", "stretch", "restart"}));
    verb->add_flag("--json", options->json, "metrics as one object a line");
    verb->add_flag("--quiet", options->quiet, "no progress, no notes");
    verb->footer("Ctrl-C saves a checkpoint and stops; a second one ends at once.");
    verb->callback([options, &chosen] { chosen = [options] { return train(*options); }; });
}

} // namespace unroll::cli
