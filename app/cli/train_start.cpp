// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/train_start.h"

#include "app/cli/kept_frames.h"

#include "core/base/home_path.h"
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/runs/run_folder.h"
#include "core/runs/run_names.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll::cli {
namespace {

namespace fs = std::filesystem;

bool isFolder(const std::string& path)
{
    std::error_code error;
    return fs::is_directory(withHome(path), error);
}

bool isSame(const std::string& path, const std::string& other)
{
    std::error_code error;
    return path == other || fs::equivalent(withHome(path), withHome(other), error);
}

bool isAuto(const TrainVerbOptions& options)
{
    return options.resume == "auto";
}

/// "--resume FILE --run DIR" is "FILE --run DIR --resume", and "--resume DIR" needs no --run. FILE may be the folder
/// too.
void sortWords(TrainVerbOptions& options)
{
    if (options.resume && !options.resume->empty() && !isAuto(options)) {
        if (options.run.empty())
            options.run = *options.resume;
        else if (options.file.empty() && !isFolder(*options.resume))
            options.file = *options.resume;
        else if (!isSame(*options.resume, options.run))
            return; // usageFault() says so
        options.resume = std::string();
    }
    if (options.resume && !isAuto(options) && options.run.empty() && isFolder(options.file))
        options.run = std::exchange(options.file, {});
}

/// runs/NAME, or with the first number that is free: runs/NAME-2. What comes through a pipe has no name.
std::string newRunFolder(const std::string& file)
{
    return freeRunFolder("runs", isPiped(withHome(file)) ? "experiment" : fs::path(file).stem().string()).string();
}

/// A FILE beside the run must hold its graph. A command that is given again has made its changes to the run by now; a
/// new one makes them to both.
Result<void> sameGraph(const TrainVerbOptions& options, const BlockRegistry& registry, const Experiment& given,
                       const Experiment& earlier)
{
    const auto now = adjusted(given, registry, options.experiment);
    const auto then = isAuto(options) ? Result<Experiment>(earlier) : adjusted(earlier, registry, options.experiment);
    if (!now)
        return tl::unexpected(now.error());
    if (!then)
        return tl::unexpected(then.error());
    if (now->graph == then->graph)
        return {};
    return fail(fmt::format("the run in {} trains a different graph; {}", options.run,
                            isAuto(options) ? "name another folder" : "resume it without FILE"),
                options.file);
}

/// Settings of FILE that the run does not have; where it trains has been resolved there.
std::vector<std::string> otherSettings(const Experiment& given, const Experiment& earlier)
{
    std::vector<std::string> names;
    for (const ParamSpec& spec : trainSettingSpecs())
        if (spec.name != "threads" && spec.name != "device" &&
            trainSetting(given.training, spec.name) != trainSetting(earlier.training, spec.name))
            names.push_back(spec.name);
    return names;
}

/// The run's own experiment, with the changes of the command.
Result<Experiment> resumedExperiment(const TrainVerbOptions& options, const BlockRegistry& registry, TrainStart& start)
{
    auto run = RunFolder::open(options.run);
    if (!run)
        return tl::unexpected(run.error());
    auto changed = adjusted(run->experiment(), registry, options.experiment);
    if (!changed || options.file.empty() || isFolder(options.file))
        return changed;
    const auto given = readExperiment(options.file);
    if (!given)
        return tl::unexpected(given.error());
    if (auto same = sameGraph(options, registry, *given, run->experiment()); !same)
        return tl::unexpected(same.error());
    const auto now = adjusted(*given, registry, options.experiment);
    if (const auto others = otherSettings(*now, *changed); !others.empty())
        start.notes.push_back(
            fmt::format("{} and the run have different training settings ({}); the run's are used, --set changes them",
                        options.file, fmt::join(others, ", ")));
    return changed;
}

/// What belongs to a run's beginning is not a mistake in a command that is given again, as long as it says the same.
Result<void> sameBeginning(const TrainVerbOptions& options, TrainStart& start)
{
    if (options.experiment.seed && *options.experiment.seed != start.experiment.seed)
        return fail(fmt::format("that run has the seed {}, not {}; name another folder", start.experiment.seed,
                                *options.experiment.seed),
                    options.run);
    if (!options.init.empty())
        start.notes.push_back("the run resumes from its checkpoint; " + options.init + "was for its start");
    return {};
}

/// The run that has come to its end, where the settings ask for no more.
std::optional<RunSummary> completed(const std::string& folder, const TrainSettings& wished)
{
    const RunSummary run = readRunSummary(folder);
    if (run.state != RunState::Finished || run.checkpoint != run.step)
        return {};
    const auto earlier = RunFolder::open(folder);
    const bool stoppedEarly = earlier && earlier->experiment().training.steps == wished.steps &&
                              earlier->experiment().training.patience == wished.patience;
    return run.step >= wished.steps || stoppedEarly ? std::optional(run) : std::nullopt;
}

Result<void> resume(TrainVerbOptions options, const BlockRegistry& registry, TrainStart& start)
{
    const bool byItself = isAuto(options);
    const std::optional<std::uint64_t> seed = std::exchange(options.experiment.seed, {});
    auto experiment = resumedExperiment(options, registry, start);
    if (!experiment)
        return tl::unexpected(experiment.error());
    start.experiment = std::move(*experiment);
    start.session.resume = true;
    if (!byItself)
        return {};
    options.experiment.seed = seed;
    if (auto same = sameBeginning(options, start); !same)
        return same;
    start.complete = completed(options.run, start.experiment.training);
    return {};
}

Result<void> begin(const TrainVerbOptions& options, const BlockRegistry& registry, TrainStart& start)
{
    auto experiment = readExperiment(options.file);
    if (experiment)
        experiment = adjusted(std::move(*experiment), registry, options.experiment);
    if (!experiment)
        return tl::unexpected(experiment.error());
    start.experiment = std::move(*experiment);
    start.session.initialWeights = withHome(options.init);
    start.session.anew = isAuto(options);
    return {};
}

/// Where this process stands among ranks. Rank 0 alone says and keeps anything.
Result<void> takeRank(TrainVerbOptions& options, TrainStart& start)
{
    auto place = rankPlace();
    if (!place)
        return tl::unexpected(place.error());
    start.session.ranks = std::move(*place);
    if (!start.session.ranks)
        return {};
    if (options.rankTimeout)
        start.session.ranks->timeout = *options.rankTimeout;
    if (options.file == "-" || options.experiment.data == "-")
        return fail(fmt::format("standard input cannot be shared by {}: name a file that all can read",
                                counted(start.session.ranks->size, "rank")));
    if (!start.leads()) {
        options.lenses = false;
        options.lensesEvery = 0;
        options.keepLenses.clear();
    }
    return {};
}

} // namespace

std::string usageFault(const TrainVerbOptions& given)
{
    TrainVerbOptions options = given;
    sortWords(options);
    if (!options.trial.empty()) {
        const auto trial = readJson(options.trial, "--trial");
        if (!trial)
            return trial.error().text();
        if (trial->asObject() == nullptr)
            return "--trial must be a JSON object";
    }
    if (options.rankTimeout == 0.0)
        return "--rank-timeout must be above 0 seconds";
    if (!options.on.empty() && (options.resume || options.file == "-" || options.experiment.data == "-"))
        return "--on begins a run from files: it cannot be used with --resume or standard input";
    if (options.file == "-" && options.experiment.data == "-")
        return "FILE and --data cannot both be standard input";
    if (!options.schedule.empty() && !options.resume)
        return "--schedule applies only with --resume";
    if (!options.resume)
        return options.file.empty() ? "an experiment is required, or --resume with a run" : "";
    if (isAuto(options)) {
        if (options.file.empty() || isFolder(options.file))
            return "--resume=auto starts a run if there is none, so it needs an experiment: train FILE --run DIR "
                   "--resume=auto";
        return options.run.empty() ? "--resume=auto needs the run's folder: --run DIR" : "";
    }
    if (!options.resume->empty())
        return fmt::format("--resume names {} and --run names {}", *options.resume, options.run);
    if (options.experiment.seed || !options.init.empty())
        return "--seed and --init cannot be used with --resume";
    return options.run.empty() ? "--resume needs the run's folder: --resume DIR" : "";
}

Result<TrainStart> startOf(TrainVerbOptions options, const BlockRegistry& registry)
{
    sortWords(options);
    TrainStart start;
    if (auto taken = takeRank(options, start); !taken)
        return tl::unexpected(taken.error());
    const bool resumes = options.resume && (!isAuto(options) || !RunCheckpoints(withHome(options.run)).all().empty());
    options.run = options.run.empty() ? newRunFolder(options.file) : withHome(options.run);
    start.session.runFolder = options.run;
    start.session.behindWindow = false;
    start.session.keepsSummaries = options.lenses || options.lensesEvery > 0;
    start.session.summariesEvery = options.lensesEvery;
    start.session.tags = options.tags;
    start.session.trial = options.trial;
    if (!options.schedule.empty())
        start.session.schedule = options.schedule == "keep"      ? Continuation::Keep
                                 : options.schedule == "stretch" ? Continuation::Stretch
                                                                 : Continuation::Restart;
    auto piped = takePiped(options.experiment.data, options.experiment.assignments, registry, options.run);
    if (!piped)
        return tl::unexpected(piped.error());
    start.piped = std::move(*piped);
    if (auto made = resumes ? resume(options, registry, start) : begin(options, registry, start); !made)
        return tl::unexpected(made.error());
    auto keep = lensesToKeep(options.keepLenses, start.experiment.graph, registry);
    if (!keep)
        return tl::unexpected(keep.error());
    start.keep = std::move(*keep);
    return start;
}

} // namespace unroll::cli
