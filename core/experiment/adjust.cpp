// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/adjust.h"

#include "core/base/home_path.h"
#include "core/base/nearest.h"
#include "core/graph/by_copy.h"
#include "core/graph/shown_params.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sstream>

namespace unroll {
namespace {

/// All of the text as a number, '.' whatever the locale.
template <class T>
std::optional<T> number(const std::string& text)
{
    T value = 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(begin, end, value);
    return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(value) : std::nullopt;
}

/// A path that is given by hand is meant from the working directory, wherever the experiment's file lies.
std::string fromHere(const std::string& path)
{
    std::error_code error;
    return std::filesystem::absolute(withHome(path), error).string();
}

std::vector<std::string> nodeNames(const Graph& graph)
{
    std::vector<std::string> names;
    for (const auto& [id, node] : graph.nodes)
        names.push_back(node->name);
    return names;
}

/// A node found by its path, "body.lstm", and the groups on the way.
struct FoundNode {
    GroupPath groups;
    const Node* node = nullptr;
};

Result<FoundNode> findNode(const Graph& graph, const std::string& path)
{
    FoundNode found;
    const Graph* level = &graph;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t dot = std::min(path.find('.', begin), path.size());
        const std::string name = path.substr(begin, dot - begin);
        found.node = level->findByName(name);
        if (found.node == nullptr)
            return fail(fmt::format("there is no node named {}{}", name, suggestion(name, nodeNames(*level))));
        begin = dot + 1;
        if (begin > path.size())
            break;
        if (!found.node->group)
            return fail(fmt::format("{} is not a group, so it contains no {}", name, path.substr(begin)));
        found.groups.push_back(found.node->id);
        level = found.node->group->graph.get();
    }
    return found;
}

Result<Experiment> withTraining(const Experiment& experiment, const std::string& name, const std::string& text)
{
    std::vector<std::string> names;
    for (const ParamSpec& spec : trainSettingSpecs()) {
        names.push_back(spec.name);
        if (spec.name != name)
            continue;
        const auto value = parseValue(spec.type, text);
        if (!value)
            return fail(fmt::format("{} {}", name, value.error().message));
        auto settings = withTrainSetting(experiment.training, name, *value);
        if (!settings)
            return tl::unexpected(settings.error());
        Experiment result = experiment;
        result.training = *settings;
        return result;
    }
    return fail(fmt::format("there is no training setting named {}{}", name, suggestion(name, names)));
}

Result<ParamValue> parameterValue(const BlockSpec& spec, const std::string& name, const std::string& text)
{
    const ParamSpec* param = spec.param(name);
    if (param == nullptr) {
        std::vector<std::string> names;
        for (const ParamSpec& each : spec.params)
            names.push_back(each.name);
        return fail(fmt::format("{} has no parameter named {}{}", spec.title, name, suggestion(name, names)));
    }
    auto value = parseNodeValue(param->type, text);
    if (!value)
        return fail(fmt::format("{} {}", name, value.error().message));
    if (param->type == ParamType::Path && !text.empty())
        value = ParamValue(fromHere(text));
    if (const std::string fault = nodeParamFault(*param, *value); !fault.empty())
        return fail(fault);
    return value;
}

/// A parameter of a group is one that it took over from a node inside.
Result<ParamValue> valueFor(const Node& node, const BlockRegistry& registry, const std::string& name,
                            const std::string& text)
{
    if (node.group)
        for (const PromotedParam& promoted : node.group->params)
            if (const Node* inner = node.group->graph->find(promoted.node); promoted.name == name && inner != nullptr)
                return valueFor(*inner, registry, promoted.param, text);
    const BlockSpec* spec = registry.find(node.block);
    if (spec == nullptr)
        return fail(fmt::format("the block {} is not known here", node.block));
    return parameterValue(*spec, name, text);
}

Result<Experiment> applied(const Experiment& experiment, const GroupPath& groups, GraphEdit edit)
{
    auto graph = (groups.empty() ? edit : edits::inside(groups, edit)).apply(experiment.graph);
    if (!graph)
        return tl::unexpected(graph.error());
    Experiment result = experiment;
    result.graph = std::move(*graph);
    return result;
}

/// What a group is besides parameters of its inside, by the words of its file; nothing: the name is none of them, or is
/// that of a parameter the group shows.
std::optional<Result<GraphEdit>> groupSetting(const Node& node, const std::string& name, const std::string& text)
{
    if (!node.group || std::any_of(node.group->params.begin(), node.group->params.end(),
                                   [&](const PromotedParam& param) { return param.name == name; }))
        return std::nullopt;
    const bool repeat = name == "repeat";
    if (!repeat && name != "shared_weights" && name != "reversible")
        return std::nullopt;
    const auto value = parseValue(repeat ? ParamType::Int : ParamType::Bool, text);
    if (!value)
        return Result<GraphEdit>(fail(fmt::format("{} {}", name, value.error().message)));
    if (name == "reversible")
        return Result<GraphEdit>(edits::setReversible(node.id, std::get<bool>(*value)));
    return Result<GraphEdit>(edits::setRepeat(node.id, repeat ? std::get<std::int64_t>(*value) : node.group->repeat,
                                              repeat ? node.group->sharedWeights : std::get<bool>(*value)));
}

/// A value inside a group would be without effect where the group sets one.
Error setAround(const Graph& graph, const ShownParam& setter, const std::string& inner)
{
    GroupPath group = setter.path;
    group.push_back(setter.group);
    const std::string outer = groupNames(graph, group);
    return {fmt::format("{} is set by the group {} ({}): set {}.{}", inner, outer, paramText(*setter.value), outer,
                        setter.param.name)};
}

/// Back to the defaults of the new block with what it does not know or take.
std::vector<GraphEdit> droppedParams(const Node& node, const BlockSpec& spec)
{
    std::vector<GraphEdit> edits;
    for (const auto& [name, value] : node.params) {
        const ParamSpec* param = spec.param(name);
        if (param == nullptr || !nodeParamFault(*param, value).empty())
            edits.push_back(edits::resetParam(node.id, name));
    }
    return edits;
}

} // namespace

const Node* findNodeAt(const Graph& graph, const std::string& path)
{
    const auto found = findNode(graph, path);
    return found ? found->node : nullptr;
}

Result<Experiment> withBlock(const Experiment& experiment, const BlockRegistry& registry, const std::string& node,
                             const std::string& block)
{
    const auto found = findNode(experiment.graph, node);
    if (!found)
        return tl::unexpected(found.error());
    if (found->node->group)
        return fail(fmt::format("{} is a group; name a node in it, as {}.NODE", node, node));
    const BlockSpec* spec = registry.find(block);
    if (spec == nullptr) {
        std::vector<std::string> names;
        for (const BlockSpec* each : registry.all())
            names.push_back(each->id);
        return fail(fmt::format("there is no block named {}{}", block, suggestion(block, names)));
    }
    if (found->node->block == block)
        return experiment;
    std::vector<GraphEdit> edits{edits::setBlock(found->node->id, block)};
    for (GraphEdit& dropped : droppedParams(*found->node, *spec))
        edits.push_back(std::move(dropped));
    return applied(experiment, found->groups, edits::sequence("block", std::move(edits)));
}

Result<ParamValue> parseValue(ParamType type, const std::string& text)
{
    if (type == ParamType::Bool) {
        if (text == "true" || text == "1" || text == "yes" || text == "on")
            return ParamValue(true);
        if (text == "false" || text == "0" || text == "no" || text == "off")
            return ParamValue(false);
        return fail(fmt::format("must be true or false; it is '{}'", text));
    }
    if (type == ParamType::Int) {
        if (const auto whole = number<std::int64_t>(text))
            return ParamValue(*whole);
        return fail(fmt::format("must be a whole number; it is '{}'", text));
    }
    if (type == ParamType::Real) {
        if (const auto real = number<double>(text))
            return ParamValue(*real);
        return fail(fmt::format("must be a number; it is '{}'", text));
    }
    return ParamValue(text);
}

namespace {

/// "a, b, c", with a comma behind the last or not, as its parts without spaces around.
std::vector<std::string> partsOf(const std::string& text)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        part.erase(0, part.find_first_not_of(' '));
        part.erase(part.find_last_not_of(' ') + 1);
        parts.push_back(part);
    }
    if (!parts.empty() && parts.back().empty())
        parts.pop_back();
    return parts;
}

std::vector<std::string> wordsOf(const std::string& text)
{
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

/// What "causal every 4 ..." begins with: a rule without its values.
std::optional<ByCopy> copyRule(const std::vector<std::string>& words)
{
    if (words.size() < 3)
        return std::nullopt;
    for (const ByCopy::Rule rule : {ByCopy::Rule::Every, ByCopy::Rule::First, ByCopy::Rule::Last})
        if (const auto count = number<std::int64_t>(words[2]); words[1] == copyRuleWord(rule) && count)
            return ByCopy{rule, *count, {}};
    return std::nullopt;
}

/// "64, 64, 128" or "causal every 4 else none"; nothing for what is neither in form.
std::optional<std::pair<ByCopy, std::vector<std::string>>> copyForm(const std::string& text)
{
    if (text.find(',') != std::string::npos)
        return std::pair(ByCopy{}, partsOf(text));
    const std::vector<std::string> words = wordsOf(text);
    const auto rule = copyRule(words);
    if (!rule || words.size() != 5 || words[3] != "else")
        return std::nullopt;
    return std::pair(*rule, std::vector{words[0], words[4]});
}

/// "causal every 4", which leaves open what the other copies have.
bool lacksElse(const std::string& text)
{
    const std::vector<std::string> words = wordsOf(text);
    return copyRule(words) && (words.size() == 3 || (words.size() == 4 && words[3] == "else"));
}

} // namespace

Result<ParamValue> parseNodeValue(ParamType type, const std::string& text)
{
    auto form = mayDifferByCopy(type) ? copyForm(text) : std::nullopt;
    if (!form && mayDifferByCopy(type) && lacksElse(text))
        return fail(fmt::format("must end with 'else' and the value of the other copies; it is '{}'", text));
    if (!form)
        return parseValue(type, text);
    auto& [values, words] = *form;
    for (const std::string& word : words) {
        const auto value = parseValue(type, word);
        if (!value)
            return value;
        values.values.push_back(*asPlain(*value));
    }
    if (values.values.empty())
        return fail(fmt::format("must have a value for every copy; it is '{}'", text));
    return ParamValue(std::move(values));
}

Result<Experiment> withAssignment(const Experiment& experiment, const BlockRegistry& registry,
                                  const std::string& assignment)
{
    const std::size_t equals = assignment.find('=');
    const std::size_t dot = assignment.rfind('.', equals);
    if (equals == std::string::npos || dot == std::string::npos || dot == 0)
        return fail("expected NODE.PARAM=VALUE or training.NAME=VALUE", assignment);
    const std::string path = assignment.substr(0, dot);
    const std::string name = assignment.substr(dot + 1, equals - dot - 1);
    const std::string text = assignment.substr(equals + 1);
    const auto placed = [&](Error error) { return tl::unexpected(Error{error.message, assignment}); };
    if (path == "training") {
        auto result = withTraining(experiment, name, text);
        return result ? result : placed(result.error());
    }
    const auto found = findNode(experiment.graph, path);
    if (!found)
        return placed(found.error());
    if (auto setting = groupSetting(*found->node, name, text)) {
        auto result = *setting ? applied(experiment, found->groups, **setting)
                               : Result<Experiment>(tl::unexpected(setting->error()));
        return result ? result : placed(result.error());
    }
    auto value = valueFor(*found->node, registry, name, text);
    if (!value)
        return placed(value.error());
    if (const auto setter = setterOf(experiment.graph, found->groups, found->node->id, name))
        return placed(setAround(experiment.graph, *setter, path + "." + name));
    return applied(experiment, found->groups, edits::setParam(found->node->id, name, *value));
}

Result<Experiment> withData(const Experiment& experiment, const BlockRegistry& registry, const std::string& path)
{
    const std::string file = fromHere(path);
    for (const auto& [id, node] : experiment.graph.nodes) {
        const BlockSpec* spec = registry.find(node->block);
        if (spec == nullptr || spec->category != Category::Data)
            continue;
        std::vector<GraphEdit> changes; // the first path is the data; a second one went with the old data
        for (const ParamSpec& param : spec->params)
            if (param.type == ParamType::Path)
                changes.push_back(edits::setParam(id, param.name, changes.empty() ? file : std::string()));
        if (!changes.empty())
            return applied(experiment, {}, edits::sequence("data", std::move(changes)));
        return fail(fmt::format("the data block {} generates its own data and reads no file", node->name), path);
    }
    return fail("the experiment has no data block", path);
}

Result<Experiment> withChanges(Experiment experiment, const BlockRegistry& registry, const std::string& path,
                               const std::vector<std::string>& assignments)
{
    Result<Experiment> result = std::move(experiment);
    if (!path.empty())
        result = withData(*result, registry, path);
    for (const std::string& assignment : assignments)
        if (result)
            result = withAssignment(*result, registry, assignment);
    return result;
}

} // namespace unroll
