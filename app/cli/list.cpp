// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/run_json.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/base/signed_number.h"
#include "core/block/registry.h"
#include "core/experiment/experiment.h"
#include "core/experiment/gallery.h"
#include "core/runs/run_summary.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace unroll::cli {
namespace {

struct ListOptions {
    std::string what;
    std::string place; ///< of runs; empty: runs
    std::vector<std::string> tags;
    bool json = false;
};

/// One line of a listing.
struct Entry {
    std::string kind, name, title, group, text;
};

std::vector<Entry> blockEntries(bool data)
{
    std::vector<Entry> entries;
    const BlockRegistry registry = allSpecs();
    for (const BlockSpec* spec : registry.all())
        if ((spec->category == Category::Data) == data)
            entries.push_back(
                {data ? "dataset" : "block", spec->id, spec->title, categoryTitle(spec->category), spec->summary});
    return entries;
}

std::vector<Entry> experimentEntries()
{
    std::vector<Entry> entries;
    for (const auto& path : galleryExperiments()) {
        const auto experiment = loadExperiment(path.string());
        const std::string text = experiment ? experiment->summary : "cannot be read: " + experiment.error().text();
        entries.push_back({"experiment", path.stem().string(), experiment ? experiment->title : "", "", text});
    }
    return entries;
}

void sayEntries(const std::string& heading, const std::vector<Entry>& entries)
{
    say(heading, Colour::Bold);
    std::vector<std::vector<std::string>> rows;
    for (const Entry& entry : entries)
        rows.push_back({"  " + entry.name, entry.group.empty() ? entry.title : entry.group, entry.text});
    sayTable(rows);
}

void sayEntriesJson(const std::vector<Entry>& entries)
{
    for (const Entry& entry : entries) {
        Json json{JsonObject{}};
        json.add("kind", entry.kind);
        json.add("name", entry.name);
        json.add("title", entry.title);
        if (!entry.group.empty())
            json.add("category", entry.group);
        json.add("summary", entry.text);
        sayJson(json);
    }
}

std::string lossText(const std::optional<double>& loss)
{
    return loss ? fixedNumber(*loss, 4) : "n/a";
}

void sayRunJson(const RunSummary& run)
{
    Json json{JsonObject{}};
    json.add("kind", "run");
    json.add("run", run.folder.string());
    json.add("title", run.title);
    json.add("state", runStateWord(run.state));
    json.add("step", run.step);
    json.add("steps", run.steps);
    addFigures(json, run);
    json.add("device", run.device);
    if (run.seed)
        json.add("seed", std::to_string(*run.seed));
    Json tags{JsonArray{}};
    for (const std::string& tag : run.tags)
        tags.push(tag);
    json.add("tags", tags);
    if (!run.note.empty())
        json.add("note", run.note);
    for (const auto& [name, text] : {std::pair("failure", run.failure), std::pair("trouble", run.trouble)})
        if (!text.empty())
            json.add(name, text);
    sayJson(json);
}

bool hasTags(const RunSummary& run, const std::vector<std::string>& tags)
{
    return std::all_of(tags.begin(), tags.end(), [&](const std::string& tag) {
        return std::find(run.tags.begin(), run.tags.end(), tag) != run.tags.end();
    });
}

/// Runs of a folder, one line each.
int listRunsOf(const ListOptions& options)
{
    const std::string place = options.place.empty() ? "runs" : withHome(options.place);
    std::error_code error;
    if (!std::filesystem::is_directory(place, error))
        return tellError({"there is no such folder", place});
    std::vector<std::vector<std::string>> rows{{"  run", "state", "step", "best", "tags", ""}};
    for (const RunSummary& run : listRuns(place)) {
        if (!hasTags(run, options.tags))
            continue;
        if (options.json)
            sayRunJson(run);
        else
            rows.push_back({"  " + run.name(), runStateWord(run.state), fmt::format("{}/{}", run.step, run.steps),
                            lossText(run.best), fmt::format("{}", fmt::join(run.tags, ", ")),
                            run.trouble.empty() ? run.failure : run.trouble});
    }
    if (options.json)
        return kOk;
    say("Runs of " + place, Colour::Bold);
    sayTable(rows);
    return kOk;
}

int list(const ListOptions& options)
{
    if (options.what == "runs")
        return listRunsOf(options);
    if (!options.tags.empty() || !options.place.empty()) {
        tellError({"--in and --tag apply only to: list runs"});
        return kUsage;
    }
    const auto wanted = [&](const char* word) { return options.what.empty() || options.what == word; };
    const auto section = [&](const char* heading, const std::vector<Entry>& entries) {
        options.json ? sayEntriesJson(entries) : sayEntries(heading, entries);
    };
    if (wanted("blocks"))
        section("Blocks", blockEntries(false));
    if (wanted("datasets"))
        section("Datasets", blockEntries(true));
    if (wanted("experiments"))
        section("Experiments", experimentEntries());
    return kOk;
}

} // namespace

void addList(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<ListOptions>();
    CLI::App* verb = app.add_subcommand("list", "Blocks, datasets, bundled experiments, runs");
    verb->add_option("what", options->what, "blocks, experiments, datasets or runs; default all but runs")
        ->check(oneOf({"blocks", "experiments", "datasets", "runs"}));
    verb->add_option("--in", options->place, "with runs: the folder that they are in; default runs");
    verb->add_option("--tag", options->tags, "with runs: those with this tag; repeatable")->allow_extra_args(false);
    verb->add_flag("--json", options->json, "JSON, one object per line");
    verb->callback([options, &chosen] { chosen = [options] { return list(*options); }; });
}

} // namespace unroll::cli
