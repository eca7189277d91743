// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/lens_request.h"

#include "app/cli/param_text.h"
#include "app/cli/terminal.h"

#include "core/base/nearest.h"
#include "core/experiment/adjust.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll::cli {
namespace {

void addOnce(std::vector<std::string>& names, const std::string& name)
{
    if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
}

std::vector<std::string> nodesOf(const std::vector<WatchedSignal>& signalNames)
{
    std::vector<std::string> nodes;
    for (const WatchedSignal& each : signalNames)
        addOnce(nodes, each.node);
    return nodes;
}

std::vector<std::string> signalsOf(const std::vector<WatchedSignal>& signalNames)
{
    std::vector<std::string> names;
    for (const WatchedSignal& each : signalNames)
        addOnce(names, each.signal);
    return names;
}

const ParamSpec* settingOf(const LensSpec& lens, const std::string& name)
{
    const auto found = std::find_if(lens.settings.begin(), lens.settings.end(),
                                    [&](const ParamSpec& setting) { return setting.name == name; });
    return found == lens.settings.end() ? nullptr : &*found;
}

/// What the setting `scope` says; empty: there is none.
std::string scopeOf(const Params& settings)
{
    const auto scope = settings.find("scope");
    return scope == settings.end() ? std::string() : paramText(scope->second);
}

Result<Params::value_type> settingIn(const LensSpec& lens, const std::string& assignment)
{
    const std::size_t equals = assignment.find('=');
    const std::string place = "--set " + assignment;
    if (equals == std::string::npos || equals == 0)
        return fail("expected NAME=VALUE", place);
    const std::string name = assignment.substr(0, equals);
    const ParamSpec* setting = settingOf(lens, name);
    if (setting == nullptr) {
        std::vector<std::string> names;
        for (const ParamSpec& each : lens.settings)
            names.push_back(each.name);
        return fail(fmt::format("{} has no setting named {}{}", lens.id, name, suggestion(name, names)), place);
    }
    const auto value = parseValue(setting->type, assignment.substr(equals + 1));
    if (!value)
        return fail(fmt::format("{} {}", name, value.error().message), place);
    if (const std::string fault = paramFault(*setting, *value); !fault.empty())
        return fail(fault, place);
    return Params::value_type(name, asParamOf(setting->type, *value).value_or(*value));
}

Json lensJson(const LensSpec& lens)
{
    Json json{JsonObject{}};
    json.add("kind", "lens");
    json.add("name", lens.id);
    json.add("title", lens.title);
    json.add("summary", lens.summary);
    json.add("takes_signal", lens.takesSignal);
    json.add("heavy", lens.heavy);
    json.add("settings", paramsJson(lens.settings));
    return json;
}

} // namespace

void sayLenses(bool json)
{
    bool first = true;
    for (const auto& lens : allLenses()) {
        const LensSpec& spec = lens->spec();
        if (json) {
            sayJson(lensJson(spec));
            continue;
        }
        if (!first)
            say("");
        first = false;
        say(fmt::format("{} ({})", spec.title, spec.id), Colour::Bold);
        say(spec.summary + (spec.takesSignal ? " Of a signal: --node, --signal." : " Of the whole network."));
        sayParams("Settings", spec.settings);
    }
}

Result<Params> lensSettings(const LensSpec& lens, const std::vector<std::string>& assignments)
{
    Params settings;
    for (const ParamSpec& setting : lens.settings)
        settings[setting.name] = setting.defaultValue;
    for (const std::string& assignment : assignments) {
        const auto setting = settingIn(lens, assignment);
        if (!setting)
            return tl::unexpected(setting.error());
        settings[setting->first] = setting->second;
    }
    return settings;
}

Result<std::vector<WatchedSignal>> chooseSignals(const std::vector<WatchedSignal>& all, const std::string& node,
                                                 const std::string& signal)
{
    std::vector<WatchedSignal> ofNode, chosen;
    std::copy_if(all.begin(), all.end(), std::back_inserter(ofNode),
                 [&](const WatchedSignal& each) { return node.empty() || each.node == node; });
    std::copy_if(ofNode.begin(), ofNode.end(), std::back_inserter(chosen),
                 [&](const WatchedSignal& each) { return signal.empty() || each.signal == signal; });
    if (ofNode.empty())
        return fail(fmt::format("there is no node with signals named {}{}", node, suggestion(node, nodesOf(all))),
                    "--node");
    if (chosen.empty())
        return fail(fmt::format("{} signal named {}{}", node.empty() ? "no node has a" : node + " has no", signal,
                                suggestion(signal, signalsOf(ofNode))),
                    "--signal");
    return chosen;
}

Result<LensQuery> lensQuery(const LensSpec& lens, const std::vector<WatchedSignal>& all, const std::string& node,
                            const std::string& signal, Params settings)
{
    if (!lens.takesSignal) {
        if (node.empty() && signal.empty())
            return LensQuery{lens.id, {}, {}, std::move(settings)};
        const bool set = settingOf(lens, "node") != nullptr && !node.empty();
        return fail(fmt::format("{} is of the whole network and takes none{}", lens.id,
                                set ? fmt::format("; --set node={} chooses a node", node) : std::string()),
                    node.empty() ? "--signal" : "--node");
    }
    const auto chosen = chooseSignals(all, node, signal);
    if (!chosen)
        return tl::unexpected(chosen.error());
    const std::string scope = scopeOf(settings);
    const std::vector<std::string> nodes = nodesOf(*chosen);
    if (scope == "model" || (scope == "node" && nodes.size() == 1))
        return LensQuery{lens.id, scope == "node" ? nodes.front() : node, signal, std::move(settings)};
    if (nodes.size() > 1)
        return fail(
            fmt::format("{} takes a signal of one node; choose it with --node: {}", lens.id, fmt::join(nodes, ", ")),
            "--node");
    if (chosen->size() > 1 && !lens.anySignal)
        return fail(fmt::format("{} takes one signal; choose it with --signal: {}", lens.id,
                                fmt::join(signalsOf(*chosen), ", ")),
                    nodes.front());
    return LensQuery{lens.id, chosen->front().node, chosen->front().signal, std::move(settings)};
}

} // namespace unroll::cli
