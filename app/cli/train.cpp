// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"
#include "app/cli/option_values.h"
#include "app/cli/run_json.h"
#include "app/cli/terminal.h"
#include "app/cli/train_report.h"
#include "app/cli/train_start.h"
#include "app/cli/verbs.h"

#include "core/remote/remote_session.h"
#include "core/remote/session_host.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

namespace unroll::cli {
namespace {

/// What all ranks hear is told once.
void tellOf(const TrainReport* report, const std::string& words)
{
    if (report != nullptr)
        tell(words);
}

/// A rank that does not speak for the run says why it ended before its time.
void tellOfRank(const RankPlace& place, const Snapshot& snapshot)
{
    const std::string who = fmt::format("rank {} of {}", place.rank, place.size);
    if (snapshot.state == RunState::Failed)
        tellError({snapshot.failure, snapshot.failure.starts_with(who) ? std::string() : who});
}

/// Viewers in other processes that look on and may steer. A run that one of them paused goes on when it leaves.
class Onlookers {
public:
    Onlookers(Session& session, const Experiment& experiment, const std::string& folder,
              const std::vector<LensQuery>& own)
        : m_session(session), m_host(session, experiment, folder, own)
    {
        (void)m_host.openDoor(); // training needs none
    }
    void serve(const std::vector<MetricRow>& rows)
    {
        m_host.keep(rows);
        m_host.turn(0);
        const bool hadOne = std::exchange(m_hasOne, m_host.hasViewer());
        if (hadOne && !m_hasOne && m_session.snapshot()->state == RunState::Paused)
            m_session.run();
    }
    bool wantEnd() const { return m_host.wantsEnd(); }
    void end(const std::vector<MetricRow>& rows)
    {
        m_host.keep(rows);
        m_host.end({});
    }

private:
    Session& m_session;
    SessionHost m_host;
    bool m_hasOne = false;
};

/// Drives the session until it ends, passing on what it tells; an interrupt stops it once.
void follow(Session& session, TrainReport* report, Onlookers* onlookers)
{
    constexpr double kLook = 0.05; // seconds
    session.run();
    for (bool stopping = false, ended = false; !ended;) {
        ended = session.finish(kLook);
        const bool isToEnd = interrupted() || (onlookers != nullptr && onlookers->wantEnd());
        if (isToEnd && !stopping && !ended) {
            stopping = true;
            tellOf(report, "\nstopping: saving a checkpoint (Ctrl-C again exits at once)");
            session.stop();
        }
        if (takeCheckpointWish() && !stopping && !ended) {
            tellOf(report, "\nsaving a checkpoint (SIGUSR1); training continues");
            session.checkpoint();
        }
        const auto rows = session.takeMetrics();
        if (report != nullptr)
            report->update(rows, *session.snapshot());
        if (onlookers != nullptr)
            onlookers->serve(rows);
    }
}

/// What heavy lenses show of the last step comes when all else is done; an interrupt does without.
void awaitLastFrames(const Session& session, std::size_t queries)
{
    constexpr int kMostLooks = 6000; // two minutes
    const auto isThere = [&] {
        const auto snapshot = session.snapshot();
        const auto isOfNow = [&](const auto& frame) { return frame->step == snapshot->step; };
        return snapshot->state == RunState::Failed ||
               (snapshot->frames.size() == queries &&
                std::all_of(snapshot->frames.begin(), snapshot->frames.end(), isOfNow));
    };
    for (int look = 0; look < kMostLooks && !interrupted() && !isThere(); ++look)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

int exitCode(const Snapshot& snapshot)
{
    if (const auto failed = failureCode(snapshot))
        return *failed;
    if (!snapshot.runFolder.empty() && snapshot.checkpointed != snapshot.step) {
        tell(fmt::format("error: the weights of step {} were not saved", snapshot.step));
        return kBrokeOff;
    }
    // Of ranks one that was interrupted stops all.
    const bool stopped = snapshot.state == RunState::Stopped && (interrupted() || snapshot.ranks.count > 1);
    return stopped ? kInterrupted : kOk;
}

/// Nothing is left to do; whoever repeats a command learns it as from a run.
int alreadyComplete(const TrainStart& start, const TrainVerbOptions& options)
{
    if (!start.leads())
        return kOk;
    if (options.json) {
        Json json{JsonObject{}};
        json.add("kind", "end");
        json.add("state", runStateWord(RunState::Finished));
        json.add("step", start.complete->step);
        json.add("run", start.session.runFolder);
        json.add("checkpointed", start.complete->checkpoint);
        addFigures(json, *start.complete);
        sayJson(json);
    }
    if (!options.quiet)
        tell(fmt::format("already complete at step {} of {}: {}", start.complete->step, start.experiment.training.steps,
                         start.session.runFolder));
    return kOk;
}

int train(const TrainVerbOptions& options)
{
    if (const std::string fault = usageFault(options); !fault.empty()) {
        tellError({fault, {}});
        return kUsage;
    }
    watchCheckpointWishes();
    const BlockRegistry registry = allSpecs();
    auto start = startOf(options, registry);
    if (!start) {
        if (options.json)
            sayRefused(start.error().text());
        return tellError(start.error());
    }
    if (start->complete)
        return alreadyComplete(*start, options);
    for (const std::string& note : start->notes)
        if (!options.quiet && start->leads())
            tell("note: " + note);
    watchInterrupts();
    if (options.parent)
        endWithParent(*options.parent);
    const std::optional<RankPlace> rank = start->leads() ? std::nullopt : start->session.ranks;
    TrainReport report(options.file.empty() ? start->session.runFolder : options.file, options.json, options.quiet);
    const Experiment experiment = start->experiment;
    const std::string folder = start->session.runFolder;
    const bool isHere = options.on.empty();
    std::unique_ptr<Session> session;
    const RemoteSession* far = nullptr;
    if (isHere) {
        session = startSession(std::move(start->experiment), registry, allBuilders(), std::move(start->session));
    } else {
        auto linked = startRemoteSession(experiment, registry, start->session, placeOfLine(options.on));
        far = linked.get();
        session = std::move(linked);
    }
    if (!start->keep.empty())
        session->ask(start->keep);
    std::optional<Onlookers> onlookers;
    if (isHere && !rank && !folder.empty())
        onlookers.emplace(*session, experiment, folder, start->keep);
    follow(*session, rank ? nullptr : &report, onlookers ? &*onlookers : nullptr);
    awaitLastFrames(*session, start->keep.size());
    if (onlookers)
        onlookers->end(session->takeMetrics());
    const auto last = session->snapshot();
    if (rank)
        tellOfRank(*rank, *last);
    else
        report.end(*last, {options.on, far != nullptr ? far->farFolder() : std::string()});
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
    verb->add_option("--on", options->on,
                     "train elsewhere: user@box, ssh with its options, or any command that starts unroll-cli session "
                     "--stdio there; data files are sent once, the run is stored in runs/ there and continues when "
                     "this program ends (see session --attach)")
        ->type_name("LINE");
    verb->add_option("--init", options->init,
                     "start from the weights of this .safetensors file or run that match by name and shape; rows of "
                     "characters or columns are matched by symbol");
    verb->add_option("--run", options->run, "folder of the run; default runs/NAME");
    verb->add_option_function<std::string>(
            "--resume", [options](const std::string& how) { options->resume = how; },
            "resume from the newest checkpoint of the run in --run, or in the folder given here; auto: resume if there "
            "is one, else start")
        ->expected(0, 1)
        ->type_name("[DIR|auto]");
    verb->add_option("--schedule", options->schedule,
                     "with --resume and a cosine schedule: keep (ends as planned, then constant), stretch (continues "
                     "to the new last step) or restart; default schedule_on_resume if the number of steps differs")
        ->check(oneOf({"keep", "stretch", "restart"}));
    verb->add_option("--tag", options->tags, "a tag for list runs --tag; repeatable")->allow_extra_args(false);
    verb->add_option("--keep-lenses", options->keepLenses,
                     "keep what these lenses show while it trains, in the run's folder: NAME of a lens of the whole "
                     "network, or NAME:NODE.SIGNAL (see inspect --lens list); then inspect --kept list, --at-update N")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME[,NAME]");
    verb->add_option("--trial", options->trial,
                     "a JSON object kept in the run's environment.json: the search's record of this run");
    addWhole(
        *verb, "--parent", [options](std::int64_t parent) { options->parent = parent; }, 1,
        std::numeric_limits<std::int32_t>::max(),
        "id of the process that starts this one: when it ends, a checkpoint is saved and training stops");
    verb->add_flag("--lenses", options->lenses,
                   "write summaries of lenses over training to lenses.jsonl: which features units track, norms of "
                   "weights, gradients and updates; takes 5 % of the time at most");
    addWhole(
        *verb, "--lenses-every", [options](std::int64_t every) { options->lensesEvery = every; }, 1,
        std::numeric_limits<std::int32_t>::max(), "the same every so many updates, regardless of the time it takes");
    addReal(
        *verb, "--rank-timeout", [options](double seconds) { options->rankTimeout = seconds; },
        "of ranks that train together (started by torchrun, mpirun or srun): seconds without an answer after which a "
        "rank counts as lost and the others end; default UNROLL_RANK_TIMEOUT or 60");
    verb->add_flag("--json", options->json, "metrics as JSON, one object per line");
    verb->add_flag("--quiet", options->quiet, "no progress, no messages");
    verb->footer("Ctrl-C and SIGTERM save a checkpoint and stop; a second one exits at once. SIGUSR1 saves a "
                 "checkpoint and training continues.");
    verb->callback([options, &chosen] { chosen = [options] { return train(*options); }; });
}

} // namespace unroll::cli
