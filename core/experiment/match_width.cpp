// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/match_width.h"

#include "core/base/nearest.h"
#include "core/experiment/adjust.h"
#include "core/experiment/width_search.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {
namespace {

std::vector<std::string> wordsBetween(const std::string& text, char separator)
{
    std::vector<std::string> words{""};
    for (char sign : text) {
        if (sign == separator)
            words.emplace_back();
        else
            words.back() += sign;
    }
    return words;
}

Result<std::vector<std::string>> triedParams(const BlockSpec& spec, const Params& values, const BlockWish& wish)
{
    std::vector<std::string> names = widthParams(spec, values);
    for (const auto& [name, value] : wish.settings)
        std::erase(names, name);
    if (wish.widthParam.empty())
        return names;
    if (const ParamSpec* param = spec.param(wish.widthParam); param != nullptr && param->type == ParamType::Int)
        return std::vector<std::string>{wish.widthParam};
    return fail(fmt::format("{} has no whole-number parameter named {}{}", spec.title, wish.widthParam,
                            suggestion(wish.widthParam, names)));
}

} // namespace

const char* matchedSizeText(MatchedSize size)
{
    switch (size) {
    case MatchedSize::Parameters: return "parameters";
    case MatchedSize::Flops: return "FLOPs a token";
    default: return "state values";
    }
}

double stateNumbers(const CheckedGraph& checked, const Graph& graph)
{
    double numbers = 0;
    for (const auto& [id, node] : checked.nodes) {
        const Node* placed = graph.find(id);
        if (node.inner && placed != nullptr && placed->group)
            numbers += static_cast<double>(placed->group->repeat) * stateNumbers(*node.inner, *placed->group->graph);
        else if (const auto state = node.outputs.find("state");
                 state != node.outputs.end() && state->second.type == PortType::State)
            numbers += static_cast<double>(state->second.width) * static_cast<double>(state->second.parts);
    }
    return numbers;
}

double sizeOf(MatchedSize size, const CheckedGraph& checked, const Graph& graph)
{
    switch (size) {
    case MatchedSize::Parameters: return static_cast<double>(checked.cost.parameters);
    case MatchedSize::Flops: return checked.cost.forwardFlops + checked.cost.backwardFlops;
    default: return stateNumbers(checked, graph);
    }
}

Result<BlockWish> blockWish(const std::string& text)
{
    BlockWish wish;
    for (const std::string& word : wordsBetween(text, ':')) {
        const std::size_t equals = word.find('=');
        if (word.empty() || equals == 0)
            return fail("expected BLOCK, BLOCK:PARAM=VALUE or BLOCK:PARAM", text);
        if (wish.block.empty())
            wish.block = word;
        else if (equals != std::string::npos)
            wish.settings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
        else if (wish.widthParam.empty())
            wish.widthParam = word;
        else
            return fail(fmt::format("one parameter is solved, not {} and {}", wish.widthParam, word), text);
    }
    return wish;
}

Result<Experiment> withBlockWish(const Experiment& experiment, const BlockRegistry& registry, const std::string& node,
                                 const BlockWish& wish)
{
    auto result = withBlock(experiment, registry, node, wish.block);
    for (const auto& [name, value] : wish.settings)
        if (result)
            result = withAssignment(*result, registry, fmt::format("{}.{}={}", node, name, value));
    return result;
}

Result<MatchedWidth> matchWidth(const Experiment& experiment, const BlockRegistry& registry,
                                const std::function<CheckedGraph(const Experiment&)>& check, const std::string& node,
                                const BlockWish& wish, MatchedSize size, double target)
{
    MatchedWidth as{experiment, {}, 0, 0, 0, check(experiment)};
    as.size = sizeOf(size, as.checked, experiment.graph);
    as.error = std::abs(as.size - target) / target;
    if (as.checked.runnable() && as.size == target)
        return as;
    const Node* placed = findNodeAt(experiment.graph, node);
    const BlockSpec* spec = placed != nullptr ? registry.find(placed->block) : nullptr;
    if (spec == nullptr)
        return fail("there is no such node", node);
    const auto names = triedParams(*spec, spec->withDefaults(placed->params), wish);
    if (!names)
        return tl::unexpected(names.error());
    std::string told = "none of its parameters that is a width is free";
    double nearest = -1;
    for (const std::string& name : *names) {
        WidthTries tries(
            [&](std::int64_t value) {
                return withAssignment(experiment, registry, fmt::format("{}.{}={}", node, name, value));
            },
            check, size);
        const ParamSpec& bounds = *spec->param(name);
        const auto most =
            static_cast<std::int64_t>(std::min<double>(bounds.maximum.value_or(kWidestTried), kWidestTried));
        tries.bisect(target, static_cast<std::int64_t>(bounds.minimum.value_or(1)), most);
        const auto found = tries.nearest(target);
        if (found && std::abs(found->size - target) <= kMatchTolerance * target) {
            auto made = tries.with(found->value);
            CheckedGraph checked = check(*made);
            return MatchedWidth{
                std::move(*made),  name, found->value, found->size, std::abs(found->size - target) / target,
                std::move(checked)};
        }
        const double off = found ? std::abs(found->size - target) : -1;
        if (found ? nearest < 0 || off < nearest : nearest < 0) {
            told = found ? nearestText(name, *found, size, target) : tries.trouble();
            nearest = off;
        }
    }
    return fail(fmt::format("no width of {} gives {:.0f} {} within {:.0f} %: {}", spec->id, target,
                            matchedSizeText(size), 100 * kMatchTolerance, told));
}

} // namespace unroll
