// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/experiment_options.h"
#include "app/cli/option_values.h"
#include "app/cli/python_tool.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/base/number_text.h"
#include "core/model/builders.h"
#include "core/runs/race_plan.h"
#include "core/runs/race_table.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <thread>

namespace unroll::cli {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000'000'000;

struct RaceVerbOptions {
    RaceWish wish;
    ExperimentOptions experiment;
    std::string vary;
    std::string out;
    std::string format = "text";
    std::string ended; ///< by those who train it: "finished", "stopped", "failed"; its files are written again
    std::int64_t parallel = 1;
    bool show = false, dryRun = false, json = false, quiet = false;
    bool shapes = false;    ///< something is said of what the race is to be
    bool tolerates = false; ///< --tolerance is given
};

/// Words that say how it goes on, not what it is; hidden ones have no name.
constexpr std::array kOfAnyRace{"", "--help", "--out", "--parallel", "--show", "--format", "--json", "--quiet"};

bool isShaped(const CLI::App& verb)
{
    const auto options = verb.get_options();
    return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
        return option->count() > 0 && std::none_of(kOfAnyRace.begin(), kOfAnyRace.end(),
                                                   [&](const char* name) { return option->get_name() == name; });
    });
}

/// "lstm=gru,sru" -> the node and the blocks; a sentence where it is none.
std::string takeVary(RaceVerbOptions& options)
{
    const std::size_t equals = options.vary.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == options.vary.size())
        return "--vary must be NODE=BLOCK,BLOCK,...; it is '" + options.vary + "'";
    options.wish.node = options.vary.substr(0, equals);
    options.wish.blocks.clear();
    for (std::size_t begin = equals + 1; begin <= options.vary.size();) {
        const std::size_t end = std::min(options.vary.find(',', begin), options.vary.size());
        options.wish.blocks.push_back(options.vary.substr(begin, end - begin));
        begin = end + 1;
    }
    const bool isEmpty = std::any_of(options.wish.blocks.begin(), options.wish.blocks.end(),
                                     [](const std::string& block) { return block.empty(); });
    return isEmpty ? "--vary has a block without a name: '" + options.vary + "'" : "";
}

std::string raceFault(RaceVerbOptions& options)
{
    if (options.show && options.shapes)
        return "--show prints the table of the race in --out as it was trained; only --format and --json go with it";
    if (options.show || !options.shapes)
        return "";
    if (options.tolerates && options.wish.match == "none")
        return "--tolerance has no effect where --match is none";
    if (options.wish.experiment.empty())
        return "an experiment is required; without it, --out alone names a race to continue, or to print with --show";
    if (options.vary.empty())
        return "--vary NODE=BLOCK,BLOCK,... is required: the node, and the blocks to compare there";
    if (options.wish.tokens > 0 && options.experiment.steps)
        return "--steps and --tokens exclude each other; give one of them";
    if (options.experiment.data == "-" || options.wish.experiment == "-")
        return "a race cannot read standard input: each of its runs reads the data again";
    return takeVary(options);
}

void sayLane(const Race& race, const RaceLane& lane, bool anyRefused, std::vector<std::vector<std::string>>& rows)
{
    std::vector<std::string> row{lane.name, lane.wish, lane.width()};
    if (lane.refused.empty())
        row.insert(row.end(),
                   {grouped(lane.parameters), fmt::format("{:.0f}", lane.flops), fmt::format("{:.0f}", lane.state),
                    fmt::format("{:.2f} %", 100 * lane.error), std::to_string(race.seeds.size())});
    else
        row.insert(row.end(), {"n/a", "n/a", "n/a", "n/a", "0"});
    if (anyRefused)
        row.push_back(lane.refused);
    rows.push_back(std::move(row));
}

void sayPlan(const Race& race, bool json)
{
    if (json) {
        Json line = raceToJson(race);
        line.add("kind", "plan");
        sayJson(line);
        return;
    }
    std::vector<std::vector<std::string>> rows{{"lane", "block", "solved", "parameters", "FLOPs/token", "state",
                                                race.match == "none" ? "off by" : race.match + " off by", "seeds"}};
    const bool anyRefused = race.refusedCount() > 0;
    if (anyRefused)
        rows.front().emplace_back("refused");
    for (const RaceLane& lane : race.lanes)
        sayLane(race, lane, anyRefused, rows);
    sayTable(rows);
    if (const std::string note = frameNote(race); !note.empty())
        say(note);
}

/// What the plan has against a fair comparison; the lanes that are refused where no table says it.
void warnOfPlan(const Race& race, bool refusals)
{
    if (refusals)
        for (const RaceLane& lane : race.lanes)
            if (!lane.refused.empty())
                tellError({lane.refused, lane.name});
    for (const std::string& warning : raceWarnings(race))
        tell("warning: " + warning);
}

int runRace(const RaceVerbOptions& options)
{
    std::vector<std::string> words{"race",     options.out,   "--parallel", std::to_string(options.parallel),
                                   "--format", options.format};
    for (const auto& [name, given] : {std::pair("--json", options.json), std::pair("--quiet", options.quiet)})
        if (given)
            words.emplace_back(name);
    return becomePythonTool(std::move(words));
}

/// The table of the race, or under --json its last line.
int showRace(const RaceVerbOptions& options)
{
    const auto results = RaceReading(options.out).read();
    if (!results)
        return tellError(results.error());
    if (!options.ended.empty())
        if (const auto written = writeRaceFiles(*results); !written)
            return tellError(written.error());
    if (options.json) {
        sayJson(raceEndJson(*results, options.ended.empty() ? "finished" : options.ended));
        return kOk;
    }
    std::string table = raceTable(raceRows(*results), *raceTableFormat(options.format));
    table.pop_back(); // its newline
    say(table);
    if (options.format == "text")
        say("\n" + raceFootnote(*results));
    return kOk;
}

int race(RaceVerbOptions options)
{
    if (const std::string fault = raceFault(options); !fault.empty()) {
        tellError({fault, {}});
        return kUsage;
    }
    options.out = withHome(options.out);
    if (options.show)
        return showRace(options);
    if (!options.shapes)
        return runRace(options);
    const BlockRegistry registry = allSpecs();
    auto experiment = readExperiment(options.wish.experiment);
    if (experiment)
        experiment = adjusted(std::move(*experiment), registry, options.experiment);
    if (!experiment)
        return tellError(experiment.error());
    options.wish.threads = options.experiment.threads.value_or(0);
    options.wish.coresEach = std::max<std::int64_t>(1, std::thread::hardware_concurrency() / options.parallel);
    DataCache data(allBuilders());
    auto plan = planRace(options.wish, *experiment, registry, data, options.out);
    if (!plan)
        return tellError(plan.error());
    if (options.dryRun || !options.quiet)
        sayPlan(plan->race, options.json);
    warnOfPlan(plan->race, options.quiet && !options.dryRun);
    if (options.dryRun || plan->race.refusedCount() == plan->race.lanes.size())
        return plan->race.refusedCount() > 0 ? kFailed : kOk;
    if (auto saved = saveRace(*plan, options.out); !saved)
        return tellError(saved.error());
    std::fflush(stdout);
    return runRace(options);
}

} // namespace

void addRace(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<RaceVerbOptions>();
    CLI::App* verb = app.add_subcommand("race", "Compare blocks on equal terms: same size, data, seeds and steps");
    verb->add_option("FILE", options->wish.experiment, "an experiment: a path or a bundled name");
    verb->add_option(
            "--vary", options->vary,
            "the node, and the blocks to compare there: lstm=lstm,gru,mru:num_heads=4; BLOCK:PARAM=VALUE sets "
            "a parameter, BLOCK:PARAM names the one adjusted to match the size. A group at NODE: group (as it is), "
            "group:cell=gru (another block inside), group:cell.units=64, a block alone, or @GROUP")
        ->type_name("NODE=BLOCK,...");
    verb->add_option(
            "--match", options->wish.match,
            "what to match to FILE within --tolerance: parameters, flops (per token), state (values carried from step "
            "to step) or none")
        ->check(oneOf({"parameters", "flops", "state", "none"}))
        ->default_val("parameters");
    addReal(
        *verb, "--tolerance", [options](double percent) { options->wish.tolerance = percent / 100; },
        "largest deviation of what is matched, in percent; default 2");
    addWhole(
        *verb, "--seeds", [options](std::int64_t seeds) { options->wish.seeds = seeds; }, 1, 1000,
        "runs of each block; seeds count up from --seed; default 1");
    addExperimentOptions(*verb, options->experiment, true);
    addWhole(
        *verb, "--tokens", [options](std::int64_t tokens) { options->wish.tokens = tokens; }, 1, kMostTokens,
        "tokens of training, in place of --steps");
    addReal(
        *verb, "--seconds", [options](double seconds) { options->wish.seconds = seconds; },
        "seconds of training after which a run ends, at most --steps");
    addWhole(
        *verb, "--parallel", [options](std::int64_t parallel) { options->parallel = parallel; }, 1, kMostThreads,
        "parallel runs; --threads is per run, by default the cores divided by the runs");
    verb->add_option("--out", options->out, "folder of the race: race.json, lanes/, runs/")->required();
    verb->add_flag("--show", options->show, "print the table of the race in --out and end");
    verb->add_option("--ended", options->ended)->group(""); // of app/study, which trains
    verb->add_option("--format", options->format, "of the table: text, csv, json, markdown or latex")
        ->check(oneOf({"text", "csv", "json", "markdown", "latex"}))
        ->capture_default_str();
    verb->add_flag("--dry-run", options->dryRun, "print the lanes and their sizes, train nothing");
    verb->add_flag("--json", options->json, "the lanes, each run and the end as JSON, one object per line");
    verb->add_flag("--quiet", options->quiet, "no progress, no messages");
    verb->footer("Ctrl-C saves checkpoints and stops; the same command continues, with more blocks or seeds it adds "
                 "them; --out DIR alone continues as it is. Each run is an ordinary folder in DIR/runs.\n"
                 "A lane that cannot be matched is refused in its row and the others run; the exit code is then 1.");
    verb->callback([options, verb, &chosen] {
        options->shapes = isShaped(*verb);
        options->tolerates = verb->get_option("--tolerance")->count() > 0;
        chosen = [options] { return race(*options); };
    });
}

} // namespace unroll::cli
