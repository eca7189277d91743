// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/block/registry.h"
#include "core/experiment/experiment.h"
#include "core/experiment/gallery.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace unroll::cli {
namespace {

struct ListOptions {
    std::string what;
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

int list(const ListOptions& options)
{
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
    CLI::App* verb = app.add_subcommand("list", "Blocks, datasets, bundled experiments");
    verb->add_option("what", options->what, "blocks, experiments or datasets; default all")
        ->check(oneOf({"blocks", "experiments", "datasets"}));
    verb->add_flag("--json", options->json, "JSON, one object per line");
    verb->callback([options, &chosen] { chosen = [options] { return list(*options); }; });
}

} // namespace unroll::cli
