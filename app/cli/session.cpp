// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"
#include "app/cli/train_report.h"
#include "app/cli/verbs.h"

#include "core/model/builders.h"
#include "core/remote/engine.h"
#include "core/remote/front.h"
#include "core/remote/remote_session.h"
#include "core/train/describe_run.h"

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <system_error>
#include <unistd.h>

namespace unroll::cli {
namespace {

struct SessionVerbOptions {
    bool stdio = false;
    bool engine = false; ///< as a front starts it
    std::string attach;
    std::string stop, pause, goOn, checkpoint; ///< a run that is to do that
    std::string on;
    bool list = false;
    bool json = false;
    bool quiet = false;
};

std::string ownProgram()
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? "unroll-cli" : self.string();
}

/// Standard input and output as one channel; what else writes to standard output would break it, and goes to standard
/// error.
std::unique_ptr<Channel> standardChannel()
{
    const int in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    if (const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC); nothing >= 0) {
        ::dup2(nothing, STDIN_FILENO); // the pipe ends with the channel
        ::close(nothing);
    }
    return std::make_unique<Channel>(in, out);
}

int beFront()
{
    watchInterrupts();
    const BlockRegistry registry = allSpecs();
    serveFront(standardChannel(), {registry, {ownProgram(), "session", "--engine"}, unrollVersion()});
    return kOk;
}

int beEngine()
{
    watchInterrupts();
    const BlockRegistry registry = allSpecs();
    const Builders builders = allBuilders();
    return serveEngine(standardChannel(), {registry, builders, interrupted}) ? kOk : kFailed;
}

RemotePlace placeOf(const SessionVerbOptions& options)
{
    if (!options.on.empty())
        return placeOfLine(options.on);
    RemotePlace here = localPlace(ownProgram());
    here.leavesRunning = true;
    return here;
}

int listThere(const SessionVerbOptions& options)
{
    const auto runs = listRemoteRuns(placeOf(options), options.attach);
    if (!runs)
        return tellError(runs.error());
    std::vector<std::vector<std::string>> rows;
    for (const RemoteRun& run : *runs) {
        if (!options.json) {
            rows.push_back({run.folder, run.state, fmt::format("{} of {}", run.step, run.steps), run.title});
            continue;
        }
        Json json{JsonObject{}};
        json.add("run", run.folder);
        json.add("title", run.title);
        json.add("state", run.state);
        json.add("step", run.step);
        json.add("steps", run.steps);
        sayJson(json);
    }
    if (!options.json)
        sayTable(rows);
    return kOk;
}

/// Looks on until the run ends or somebody interrupts; the run goes on then.
int attach(const SessionVerbOptions& options)
{
    watchInterrupts();
    const auto session = attachRemoteSession(options.attach, placeOf(options));
    TrainReport report(options.attach, options.json, options.quiet);
    for (bool ended = false; !ended && !interrupted();) {
        ended = session->finish(0.05);
        const auto rows = session->takeMetrics();
        report.update(rows, *session->snapshot());
    }
    const auto last = session->snapshot();
    const bool leaves = interrupted() && !hasEnded(last->state);
    report.end(*last, {options.on, session->farFolder(), leaves});
    return leaves ? kInterrupted : failureCode(*last).value_or(kOk);
}

/// What one is to do that trains there, and to whom that is said.
struct RunCommand {
    const char* name; ///< of the option
    const char* word; ///< of the message
    std::string run;
    RunState wanted; ///< afterwards; Unknown: any
};

std::vector<RunCommand> commandsOf(const SessionVerbOptions& options)
{
    std::vector<RunCommand> given;
    for (const RunCommand& each : {RunCommand{"stop", "stop", options.stop, RunState::Unknown},
                                   RunCommand{"pause", "pause", options.pause, RunState::Paused},
                                   RunCommand{"continue", "run", options.goOn, RunState::Running},
                                   RunCommand{"checkpoint", "checkpoint", options.checkpoint, RunState::Unknown}})
        if (!each.run.empty())
            given.push_back(each);
    return given;
}

/// Whoever views the run stays attached.
int command(const SessionVerbOptions& options, const RunCommand& wish)
{
    const auto stand = commandRemoteRun(placeOf(options), wish.run, wish.word);
    if (!stand)
        return tellError({stand.error().text(), fmt::format("session --{}", wish.name)});
    if (options.json) {
        Json json{JsonObject{}};
        json.add("kind", "done");
        json.add("command", wish.name);
        json.add("run", wish.run);
        json.add("state", runStateWord(stand->state));
        json.add("step", stand->step);
        json.add("checkpointed", stand->checkpointed);
        sayJson(json);
    }
    const std::string saved = stand->checkpointed >= 0
                                  ? fmt::format("the newest checkpoint is of step {}", stand->checkpointed)
                                  : "there is no checkpoint yet";
    if (!options.quiet)
        tell(fmt::format("{}: {} at step {}; {}", wish.run, runStateWord(stand->state), stand->step, saved));
    return wish.wanted == RunState::Unknown || wish.wanted == stand->state ? kOk : kFailed;
}

int session(const SessionVerbOptions& options)
{
    if (options.engine)
        return beEngine();
    if (options.stdio)
        return beFront();
    const std::vector<RunCommand> commands = commandsOf(options);
    if (commands.size() + (options.list || !options.attach.empty() ? 1 : 0) > 1) {
        tellError({"only one of --attach, --list, --stop, --pause, --continue and --checkpoint can be used at a time",
                   "session"});
        return kUsage;
    }
    if (!commands.empty())
        return command(options, commands.front());
    if (options.list)
        return listThere(options);
    if (!options.attach.empty())
        return attach(options);
    tellError({"one of --attach, --list, --stop, --pause, --continue, --checkpoint or --stdio is required", "session"});
    return kUsage;
}

} // namespace

void addSession(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<SessionVerbOptions>();
    CLI::App* verb = app.add_subcommand("session", "A run for viewers in other processes; attach to one");
    verb->add_flag("--stdio", options->stdio,
                   "serve a session over standard input and output, for the studio's Run On and train --on");
    verb->add_flag("--engine", options->engine, "")->group("");
    verb->add_option("--attach", options->attach,
                     "attach to this run, training or ended; with --list the folder of runs");
    verb->add_option("--stop", options->stop, "stop this run, which trains there: a checkpoint is saved");
    verb->add_option("--pause", options->pause, "pause it after its next update");
    verb->add_option("--continue", options->goOn, "let it continue");
    verb->add_option("--checkpoint", options->checkpoint, "save a checkpoint of it; it continues");
    verb->add_flag("--list", options->list, "name the runs there, newest first");
    verb->add_option("--on", options->on,
                     "where: user@box, ssh with its options, or any command that starts unroll-cli session --stdio; "
                     "default this machine")
        ->type_name("LINE");
    verb->add_flag("--json", options->json, "rows and runs as JSON, one object per line");
    verb->add_flag("--quiet", options->quiet, "no progress, no messages");
    verb->footer("No port is opened. Ctrl-C detaches; the run continues. --stop, --pause, --continue and --checkpoint "
                 "return when that is done and leave other viewers attached. Exit codes of --attach: 0 the run ended "
                 "or another viewer took it over, 1 no run, 3 and 4 as of train (4 also: its process was killed), 130 "
                 "detached.");
    verb->callback([options, &chosen] { chosen = [options] { return session(*options); }; });
}

} // namespace unroll::cli
