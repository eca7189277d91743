// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/heat_map.h"
#include "app/cli/run_options.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/base/nearest.h"
#include "core/export/place.h"
#include "core/format/npz.h"
#include "core/format/png.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace unroll::cli {
namespace {

struct InspectOptions {
    RunOptions run;
    std::string text, node, signal, out;
    bool force = false;
};

/// The wished signals of the node; an error lists what there is.
Result<std::vector<WatchedSignal>> chooseSignals(const std::vector<WatchedSignal>& all, const InspectOptions& options)
{
    std::vector<WatchedSignal> chosen;
    std::vector<std::string> nodes, signalsOfNode;
    for (const WatchedSignal& each : all) {
        if (std::find(nodes.begin(), nodes.end(), each.node) == nodes.end())
            nodes.push_back(each.node);
        if (each.node != options.node)
            continue;
        signalsOfNode.push_back(each.signal);
        if (options.signal.empty() || options.signal == each.signal)
            chosen.push_back(each);
    }
    if (signalsOfNode.empty())
        return fail(
            fmt::format("there is no node with signals named {}{}", options.node, suggestion(options.node, nodes)),
            "--node");
    if (chosen.empty())
        return fail(fmt::format("{} has no signal named {}{}", options.node, options.signal,
                                suggestion(options.signal, signalsOfNode)),
                    "--signal");
    return chosen;
}

format::TensorView viewOf(const SignalFrame& frame)
{
    return {frame.node + "." + frame.signal,
            format::DType::F32,
            {frame.steps, frame.width},
            reinterpret_cast<const std::byte*>(frame.values.data()),
            frame.values.size() * sizeof(float)};
}

Result<void> writeArrays(const ProbeFrame& frame, const std::string& path)
{
    std::vector<format::TensorView> views;
    for (const SignalFrame& each : frame.signalFrames)
        views.push_back(viewOf(each));
    const auto written = format::writeNpz(path, views, format::systemCalls(), own::kSignals);
    return written ? Result<void>() : tl::unexpected(written.error());
}

Result<void> writePicture(const ProbeFrame& frame, const std::string& path)
{
    const Picture picture = heatMap(frame.signalFrames.front());
    return format::writePng(path, picture.width, picture.height, picture.rgb, format::systemCalls(), own::kPicture);
}

void tellWritten(const InspectOptions& options, const ProbeFrame& frame)
{
    for (const SignalFrame& each : frame.signalFrames) {
        if (!options.run.json) {
            tell(fmt::format("{}.{}: {} steps x {} units", each.node, each.signal, each.steps, each.width));
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

int inspect(InspectOptions options)
{
    options.out = withHome(options.out);
    const std::string extension = std::filesystem::path(options.out).extension().string();
    if (extension != ".npz" && extension != ".png") {
        tellError({"expected a name that ends in .npz or .png", "--out " + options.out});
        return kUsage;
    }
    const PlaceFaults faults = placeFaults(options.out, extension == ".npz" ? own::kSignals : own::kPicture);
    if (faults.forbid(options.force))
        return tellPlaceFaults(faults, options.out);
    const BlockRegistry registry = allSpecs();
    RunOptions wished = options.run;
    wished.inspection.needsData = options.text.empty();
    auto inspection = openRun(wished, registry);
    if (!inspection)
        return tellError(inspection.error());
    const auto chosen = chooseSignals((*inspection)->signalNames(), options);
    if (!chosen)
        return tellError(chosen.error());
    if (extension == ".png" && chosen->size() > 1) {
        std::vector<std::string> names;
        for (const WatchedSignal& each : *chosen)
            names.push_back(each.signal);
        return tellError(
            {fmt::format("an image shows one signal; choose one with --signal: {}", fmt::join(names, ", ")),
             options.node});
    }
    const auto frame = (*inspection)->look(options.text, *chosen);
    if (!frame)
        return tellError(frame.error());
    if (frame->signalFrames.empty())
        return tellError({"the node did not provide the signal", options.node});
    const auto written = extension == ".npz" ? writeArrays(*frame, options.out) : writePicture(*frame, options.out);
    if (!written)
        return tellError(written.error());
    tellWritten(options, *frame);
    return kOk;
}

} // namespace

void addInspect(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<InspectOptions>();
    CLI::App* verb = app.add_subcommand("inspect", "Values of a node's signals on a text");
    addRunOptions(*verb, options->run);
    verb->add_option("--text", options->text, "text to read; empty: the start of the validation split");
    verb->add_option("--node", options->node, "the node; in a group its path, e.g. body.2.lstm")->required();
    verb->add_option("--signal", options->signal, "one of the node's signals; default all (.npz)");
    verb->add_option("--out", options->out,
                     ".npz: arrays NODE.SIGNAL [steps, units]; .png: a heat map, time from left to right")
        ->required();
    verb->add_flag("--force", options->force, "overwrite an existing file");
    verb->callback([options, &chosen] { chosen = [options] { return inspect(*options); }; });
}

} // namespace unroll::cli
