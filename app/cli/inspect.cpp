// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/kept_frames.h"
#include "app/cli/lens_request.h"
#include "app/cli/option_values.h"
#include "app/cli/reading_options.h"
#include "app/cli/run_options.h"
#include "app/cli/second_side.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/base/number_text.h"
#include "core/export/place.h"
#include "core/figure/figure_json.h"
#include "core/figure/write_figure.h"
#include "core/format/npz.h"
#include "core/runs/run_edits.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

namespace unroll::cli {
namespace {

constexpr const char* kList = "list"; ///< in place of a lens: name them all
constexpr const char* kStrip = "strip";
constexpr const char* kEditSetting = "edit=";

struct InspectOptions {
    RunOptions run;
    ReadingOptions reading;
    SecondSideOptions second;
    std::string lens, node, signal, out, theme = "light", kept, editName;
    std::optional<std::int64_t> update; ///< of a kept frame
    std::vector<std::string> settings;
    bool force = false;
};

std::vector<std::string> lensNames()
{
    std::vector<std::string> names{kList};
    for (const auto& lens : allLenses())
        names.push_back(lens->spec().id);
    return names;
}

format::TensorView viewOf(const SignalFrame& frame)
{
    return {frame.node + "." + frame.signal,
            format::DType::F32,
            {frame.steps, frame.width},
            reinterpret_cast<const std::byte*>(frame.values.data()),
            frame.values.size() * sizeof(float)};
}

void tellSignals(const InspectOptions& options, const ProbeFrame& frame)
{
    for (const SignalFrame& each : frame.signalFrames) {
        if (!options.run.json) {
            const bool complex = each.look == SignalKind::Complex;
            tell(fmt::format("{}.{}: {} steps x {} {}units", each.node, each.signal, each.steps,
                             complex ? each.width / 2 : each.width, complex ? "complex " : ""));
            continue;
        }
        Json json{JsonObject{}};
        json.add("node", each.node);
        json.add("signal", each.signal);
        json.add("steps", each.steps);
        json.add("width", each.width);
        json.add("training_step", frame.step);
        json.add("out", options.out);
        sayJson(json);
    }
}

/// The signals of a node as they are, an array each.
int writeSignals(const InspectOptions& options, Inspection& inspection)
{
    if (options.node.empty())
        return tellError({"name a node, or a lens with --lens", "--node"});
    const auto chosen = chooseSignals(inspection.signalNames(), options.node, options.signal);
    if (!chosen)
        return tellError(chosen.error());
    const auto reading = readingOf(options.reading, inspection);
    if (!reading)
        return tellError(reading.error());
    if (const std::string unknown = inspection.unknownIn(options.reading.text.value_or("")); !unknown.empty())
        tell("text: " + unknown);              // a lens says it itself
    const auto frame = options.reading.plain() // a text may be longer than a reading
                           ? inspection.look(options.reading.text.value_or(std::string()), *chosen)
                           : inspection.look(*reading, *chosen);
    if (!frame)
        return tellError(frame.error());
    if (frame->signalFrames.empty())
        return tellError({"the node did not provide the signal", options.node});
    std::vector<format::TensorView> views;
    for (const SignalFrame& each : frame->signalFrames)
        views.push_back(viewOf(each));
    const auto written = format::writeNpz(options.out, views, format::systemCalls(), own::kSignals);
    if (!written)
        return tellError(written.error());
    tellSignals(options, *frame);
    return kOk;
}

void sayFigure(const Figure& figure)
{
    say(figure.shows);
    if (figure.missing > 0)
        say(counted(figure.missing, "value") + (figure.missing == 1 ? " is" : " are") +
            " not finite (NaN or infinite).");
    for (const std::string& finding : figure.findings)
        say("- " + finding);
    for (const FigureTable& table : figure.tables) {
        say("");
        if (!table.title.empty())
            say(table.title, Colour::Bold);
        std::vector<std::vector<std::string>> rows{table.columns};
        for (const FigureTable::Row& row : table.rows)
            rows.push_back(row.cells);
        sayTable(rows, {Colour::Faint});
    }
}

void tellFigure(const InspectOptions& options, const Figure& figure, const FigureSource& source)
{
    if (!options.run.json)
        return tell(figure.shows);
    Json json{JsonObject{}};
    json.add("lens", source.lens);
    json.add("training_step", source.step);
    json.add("missing", figure.missing);
    json.add("shows", figure.shows);
    json.add("out", options.out);
    sayJson(json);
}

/// On stdout, or in a file.
int showFigure(const InspectOptions& options, const Figure& figure, const FigureSource& source)
{
    if (options.out.empty()) {
        options.run.json ? sayJson(figureJson(figure, source)) : sayFigure(figure);
        return kOk;
    }
    const bool picture = isPicture(*figureFileOf(options.out));
    const auto written =
        writeFigure(options.out, figure, source, options.theme == "dark" ? FigureTheme::Dark : FigureTheme::Light,
                    picture ? own::kPicture : own::kSignals);
    if (!written)
        return tellError(written.error());
    tellFigure(options, figure, source);
    return kOk;
}

/// What a lens showed while the run trained, from the run's folder: its model and its data are not opened.
int showKept(const InspectOptions& options, const Lens& lens)
{
    const KeptWish wish{options.run.run, lens.spec().id,   options.node,
                        options.signal,  options.settings, options.update.value_or(0)};
    const auto frame = options.kept == kStrip ? keptStrip(wish) : keptFrame(wish);
    if (!frame)
        return tellError(frame.error());
    const LensQuery& query = frame->query;
    return showFigure(options, frame->figure,
                      {query.lens, lens.spec().title, query.node, query.signal, query.settings, frame->step});
}

/// There is something to be shown, so the edits get their name: before the output, whose reader may have gone.
int keepEdit(const InspectOptions& options)
{
    if (options.editName.empty())
        return kOk;
    std::string edit = options.second.edit;
    for (const std::string& setting : options.settings)
        if (setting.starts_with(kEditSetting))
            edit = setting.substr(std::string_view(kEditSetting).size());
    if (edit.empty())
        return tellError({"there is no edit to be kept: give one by --set edit=… or --against-edit", "--keep-edit"});
    const auto kept = nameEdit(withHome(options.run.run), options.editName, edit);
    if (!kept)
        return tellError({kept.error().text(), "--keep-edit"});
    tell(fmt::format("kept as @{}: {}", options.editName, edit));
    return kOk;
}

/// What a lens shows, of one side or of two.
int showLens(const InspectOptions& options, const Lens& lens, Inspection& inspection, const BlockRegistry& registry)
{
    auto settings = lensSettings(lens.spec(), options.settings);
    if (!settings)
        return tellError(settings.error());
    const auto query =
        lensQuery(lens.spec(), inspection.signalNames(), options.node, options.signal, std::move(*settings));
    if (!query)
        return tellError(query.error());
    const auto reading = readingOf(options.reading, inspection);
    if (!reading)
        return tellError(reading.error());
    const auto frame = inspection.see(*query, *reading);
    if (!frame)
        return tellError(frame.error());
    FigureSource source{lens.spec().id,  lens.spec().title, query->node, query->signal,
                        query->settings, (*frame)->step,    std::nullopt};
    if (!options.second.isGiven()) {
        const int kept = keepEdit(options);
        return kept == kOk ? showFigure(options, (*frame)->data->figure(), source) : kept;
    }
    auto seen = compareWith(options.second, {options.run, lens, inspection, *reading, *frame}, registry);
    if (!seen)
        return tellError(seen.error());
    source.compared = std::move(seen->source);
    const int kept = keepEdit(options);
    return kept == kOk ? showFigure(options, seen->figure, source) : kept;
}

/// Edits of the run that are named by @NAME, as they are.
Result<void> takeNamedEdits(InspectOptions& options)
{
    const auto isEdit = [](const std::string& setting) { return setting.starts_with(kEditSetting); };
    if (options.second.edit.empty() && std::none_of(options.settings.begin(), options.settings.end(), isEdit))
        return {};
    const auto named = readNamedEdits(withHome(options.run.run));
    if (!named)
        return tl::unexpected(named.error());
    const auto second = withNamedEdits(options.second.edit, *named);
    if (!second)
        return fail(second.error().message, "--against-edit");
    options.second.edit = *second;
    for (std::string& setting : options.settings)
        if (isEdit(setting)) {
            const auto whole = withNamedEdits(setting.substr(std::string_view(kEditSetting).size()), *named);
            if (!whole)
                return fail(whole.error().message, "--set " + setting);
            setting = kEditSetting + *whole;
        }
    return {};
}

int inspect(InspectOptions options)
{
    if (options.lens == kList) {
        sayLenses(options.run.json);
        return kOk;
    }
    if (options.kept == kList) {
        const auto said = sayKept(options.run.run, options.run.json);
        return said ? kOk : tellError(said.error());
    }
    options.out = withHome(options.out);
    const auto file = figureFileOf(options.out);
    if (!options.out.empty()) {
        if (!file) {
            tellError({fmt::format("expected a name that ends in {}", figureEndings()), "--out " + options.out});
            return kUsage;
        }
        const PlaceFaults faults = placeFaults(options.out, isPicture(*file) ? own::kPicture : own::kSignals);
        if (faults.forbid(options.force))
            return tellPlaceFaults(faults, options.out);
    }
    if (!options.editName.empty())
        if (const auto fits = checkEditName(options.editName); !fits)
            return tellError({fits.error().text(), "--keep-edit"});
    if (const auto taken = takeNamedEdits(options); !taken)
        return tellError(taken.error());
    const bool signalsAlone =
        options.lens.empty() && file == FigureFile::Npz && !options.second.isGiven() && options.editName.empty();
    const Lens* lens = findLens(options.lens.empty() ? "state" : options.lens);
    if (const auto second = checkSecondSide(options.second, options.run, *lens); !second)
        return tellError(second.error());
    if (const auto settings = lensSettings(lens->spec(), options.settings); !settings)
        return tellError(settings.error()); // before a run is loaded for nothing
    if (options.update || options.kept == kStrip)
        return showKept(options, *lens);
    const BlockRegistry registry = allSpecs();
    RunOptions wished = options.run;
    // A lens may need the data whatever is read; where they are gone, it says so.
    wished.inspection.needsData = options.reading.needsData() || !signalsAlone;
    auto inspection = openRun(wished, registry);
    if (!inspection && !options.reading.needsData() && options.run.inspection.dataPath.empty()) {
        wished.inspection.needsData = false;
        inspection = openRun(wished, registry);
    }
    if (!inspection)
        return tellError(inspection.error());
    tellDataNotes(options.run, **inspection);
    return signalsAlone ? writeSignals(options, **inspection) : showLens(options, *lens, **inspection, registry);
}

} // namespace

void addInspect(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<InspectOptions>();
    CLI::App* verb = app.add_subcommand("inspect", "What a lens shows of a run; values of a node's signals");
    addRunOptions(*verb, options->run);
    verb->add_option("--lens", options->lens, "what to show; list: name all lenses and their settings; default state")
        ->check(oneOf(lensNames()))
        ->type_name("NAME");
    verb->add_option("--node", options->node, "the node whose signal is shown; in a group its path, e.g. body.2.lstm");
    verb->add_option("--signal", options->signal, "one of the node's signals");
    verb->add_option("--set", options->settings, "NAME=VALUE: a setting of the lens; repeatable")
        ->allow_extra_args(false);
    addReadingOptions(*verb, options->reading);
    addSecondSide(*verb, options->second);
    verb->add_option("--keep-edit", options->editName,
                     "keep the edit of --set edit=… or --against-edit in the run's folder under this name; both take "
                     "@NAME then")
        ->type_name("NAME");
    CLI::Option* kept =
        verb->add_option("--kept", options->kept,
                         "list: what was kept of lenses while the run trained, and of which updates; strip: what the "
                         "lens showed at eight of them, side by side on one scale")
            ->check(oneOf({kList, kStrip}))
            ->type_name("list|strip");
    CLI::Option* update = addWhole(
        *verb, "--at-update", [options](std::int64_t step) { options->update = step; }, 0,
        std::numeric_limits<std::int64_t>::max(),
        "what the lens showed at this update, or the nearest that was kept; see --kept list and train --keep-lenses");
    for (const char* other : {"--text", "--at", "--find", "--sample", "--length", "--seed", "--checkpoint", "--data",
                              "--against", "--against-checkpoint", "--against-node", "--against-edit", "--keep-edit"})
        for (CLI::Option* option : {kept, update})
            option->excludes(verb->get_option(other)); // it is of what was read then, by the weights of then
    kept->excludes(update);
    CLI::Option* out = verb->add_option(
        "--out", options->out,
        "file for the numbers (.npz, .csv, .json) or the picture (.png, .svg); without it the findings are "
        "printed. Without --lens .npz holds the node's signals, NODE.SIGNAL [steps, units]; of a complex one [steps, "
        "2 units], where 2 j and 2 j + 1 are the real and the imaginary part of unit j");
    verb->add_option("--theme", options->theme, "of a picture: light or dark")
        ->check(oneOf({"light", "dark"}))
        ->capture_default_str()
        ->type_name("THEME")
        ->needs(out);
    verb->add_flag("--force", options->force, "overwrite an existing file")->needs(out);
    verb->callback([options, &chosen] { chosen = [options] { return inspect(*options); }; });
}

} // namespace unroll::cli
