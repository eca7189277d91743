// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/param_text.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/nearest.h"
#include "core/block/registry.h"
#include "core/experiment/experiment.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace unroll::cli {
namespace {

struct HelpOptions {
    std::string block;
    bool json = false;
};

/// ", where readout is tied".
std::string conditionText(const PortSpec& port)
{
    std::vector<std::string> conditions;
    for (const Condition& condition : port.when)
        conditions.push_back(fmt::format("{} is {}", condition.param, fmt::join(condition.choices, " or ")));
    return conditions.empty() ? "" : fmt::format(", where {}", fmt::join(conditions, " or "));
}

void sayPorts(const std::string& title, const std::vector<PortSpec>& ports)
{
    if (ports.empty())
        return;
    heading(title);
    std::vector<std::vector<std::string>> rows;
    for (const PortSpec& port : ports)
        rows.push_back({"  " + port.name,
                        portTypeWord(port.type) + std::string(port.optional ? ", optional" : "") + conditionText(port),
                        port.help});
    sayTable(rows);
}

/// As they are with the default parameters.
void sayWeights(const BlockSpec& spec)
{
    Rows rows;
    for (const WeightSpec& weight : spec.weightsOf(spec.withDefaults({}), {}))
        rows.push_back({"  " + weight.name, weight.symbols(), weight.initialText(false), weight.trainingText()});
    sayTitled("Weights: initial values and training, with the defaults", rows);
}

/// Of a complex signal how its numbers lie; with the other kind that it has by a parameter.
std::string kindText(const SignalSpec& signal)
{
    if (signal.look != SignalKind::Complex)
        return {};
    const std::string unless = signal.other ? fmt::format(", but where {} is {}", signal.other->when.param,
                                                          fmt::join(signal.other->when.choices, " or "))
                                            : std::string();
    return fmt::format(" Complex{}: numbers 2 j and 2 j + 1 are the real and the imaginary part of unit j.", unless);
}

void sayBlock(const BlockSpec& spec)
{
    say(fmt::format("{} ({})", spec.title, spec.id), Colour::Bold);
    say(spec.summary);
    sayPorts("Inputs", spec.inputs);
    sayPorts("Outputs", spec.outputs);
    sayParams("Parameters", spec.params);
    sayWeights(spec);
    Rows signals;
    for (const SignalSpec& signal : spec.signalSpecs)
        signals.push_back({"  " + signal.name, signal.help + kindText(signal)});
    sayTitled("Signals", signals);
    if (!spec.provenance.empty()) {
        heading("After");
        say("  " + spec.provenance);
    }
    if (!spec.helpText.empty())
        say("\n" + spec.helpText);
}

Json namesAndHelp(const std::vector<PortSpec>& ports)
{
    Json list{JsonArray{}};
    for (const PortSpec& port : ports) {
        Json json{JsonObject{}};
        json.add("name", port.name);
        json.add("type", portTypeWord(port.type));
        json.add("optional", port.optional);
        json.add("help", port.help);
        if (!port.when.empty())
            json.add("when", conditionsJson(port.when));
        list.push(json);
    }
    return list;
}

Json weightsJson(const BlockSpec& spec)
{
    Json list{JsonArray{}};
    for (const WeightSpec& weight : spec.weightsOf(spec.withDefaults({}), {})) {
        Json each{JsonObject{}};
        each.add("name", weight.name);
        each.add("shape", weight.symbols());
        each.add("initial", weight.initialText(false));
        each.add("training", weight.trainingText());
        each.add("source", weight.source);
        list.push(each);
    }
    return list;
}

void sayBlockJson(const BlockSpec& spec)
{
    Json json{JsonObject{}};
    json.add("id", spec.id);
    json.add("title", spec.title);
    json.add("summary", spec.summary);
    json.add("inputs", namesAndHelp(spec.inputs));
    json.add("outputs", namesAndHelp(spec.outputs));
    json.add("params", paramsJson(spec.params));
    json.add("weights", weightsJson(spec));
    Json watched{JsonArray{}};
    for (const SignalSpec& signal : spec.signalSpecs)
        watched.push(signal.name);
    json.add("signals", watched);
    json.add("provenance", spec.provenance);
    json.add("help", spec.helpText);
    sayJson(json);
}

constexpr const char* kTraining = "training";

int helpTraining(bool json)
{
    if (json) {
        Json settings{JsonObject{}};
        settings.add("id", kTraining);
        settings.add("params", paramsJson(trainSettingSpecs()));
        sayJson(settings);
        return kOk;
    }
    say("Training settings", Colour::Bold);
    say("How an experiment is trained; set one by --set training.NAME=VALUE.");
    sayParams("Settings", trainSettingSpecs());
    return kOk;
}

int help(const HelpOptions& options)
{
    if (options.block == kTraining)
        return helpTraining(options.json);
    const BlockRegistry registry = allSpecs();
    const BlockSpec* found = registry.find(options.block);
    std::vector<std::string> names = {kTraining};
    for (const BlockSpec* spec : registry.all()) {
        names.push_back(spec->id);
        if (found == nullptr && spec->title == options.block)
            found = spec;
    }
    if (found == nullptr)
        return tellError(
            {fmt::format("there is no block named {}{}", options.block, suggestion(options.block, names))});
    options.json ? sayBlockJson(*found) : sayBlock(*found);
    return kOk;
}

} // namespace

void addHelp(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<HelpOptions>();
    CLI::App* verb =
        app.add_subcommand("help", "Describe a block (ports, parameters, weights, signals) or the training settings");
    verb->add_option("BLOCK", options->block, "id of a block, as in: unroll-cli list blocks; or training")->required();
    verb->add_flag("--json", options->json, "JSON, one object per line");
    verb->callback([options, &chosen] { chosen = [options] { return help(*options); }; });
}

} // namespace unroll::cli
