// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/match_width.h"

#include "core/base/nearest.h"
#include "core/experiment/adjust.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace unroll {
namespace {

constexpr std::int64_t kWidestTried = 65536;
/// Where heads must divide a width, one of the neighbours runs.
constexpr std::int64_t kNeighbours = 64;

/// A value of the parameter that runs, and the size of the model.
struct WidthTry {
    std::int64_t value = 0;
    double size = 0;
};

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

/// The model's size over one parameter, each value checked once.
class WidthTries {
public:
    WidthTries(const Experiment& experiment, const BlockRegistry& registry,
               const std::function<CheckedGraph(const Experiment&)>& check, std::string name, MatchedSize size)
        : m_experiment(experiment), m_registry(registry), m_check(check), m_name(std::move(name)), m_size(size)
    {}

    Result<Experiment> with(std::int64_t value) const
    {
        return withAssignment(m_experiment, m_registry, fmt::format("{}={}", m_name, value));
    }

    /// Of the nearest value that runs.
    std::optional<WidthTry> near(std::int64_t value, std::int64_t least, std::int64_t most)
    {
        for (std::int64_t off = 0; off <= kNeighbours; ++off)
            for (std::int64_t each : {value + off, value - off})
                if (each >= least && each <= most)
                    if (const auto size = at(each))
                        return WidthTry{each, *size};
        return {};
    }

    std::optional<WidthTry> nearest(double target) const
    {
        std::optional<WidthTry> best;
        for (const auto& [value, size] : m_seen)
            if (size && (!best || std::abs(*size - target) < std::abs(best->size - target)))
                best = WidthTry{value, *size};
        return best;
    }

    const std::string& trouble() const { return m_trouble; }

private:
    std::optional<double> at(std::int64_t value)
    {
        if (const auto seen = m_seen.find(value); seen != m_seen.end())
            return seen->second;
        std::optional<double>& size = m_seen[value];
        const auto experiment = with(value);
        if (!experiment) {
            m_trouble = experiment.error().text();
            return {};
        }
        const CheckedGraph checked = m_check(*experiment);
        if (checked.runnable())
            return size = sizeOf(m_size, checked, experiment->graph);
        for (const Diagnostic& diagnostic : checked.diagnostics)
            if (diagnostic.severity == Severity::Error) {
                m_trouble = diagnostic.sentence;
                break;
            }
        return {};
    }

    const Experiment& m_experiment;
    const BlockRegistry& m_registry;
    const std::function<CheckedGraph(const Experiment&)>& m_check;
    std::string m_name;
    MatchedSize m_size;
    std::string m_trouble;
    std::map<std::int64_t, std::optional<double>> m_seen;
};

/// Between a value that is too small and one that is too large, down to two that have none between them that runs.
void bisect(WidthTries& tries, double target, std::int64_t least, std::int64_t most)
{
    auto low = tries.near(least, least, most);
    if (!low || low->size >= target)
        return;
    std::optional<WidthTry> high;
    for (std::int64_t value = std::max<std::int64_t>(2 * low->value, 16); !high && low->value < most; value *= 2) {
        const auto found = tries.near(std::min(value, most), least, most);
        if (!found)
            return;
        (found->size >= target ? high : low) = found;
        if (value >= most)
            break;
    }
    while (high && high->value - low->value > 1) {
        const auto middle = tries.near((low->value + high->value) / 2, low->value + 1, high->value - 1);
        if (!middle)
            return;
        (middle->size >= target ? high : low) = middle;
    }
}

/// Names of the parameters that may be solved.
std::vector<std::string> widthParams(const BlockSpec& spec, const Params& values)
{
    constexpr std::array<const char*, 4> kWords{"units", "numbers", "features", "rows"};
    std::vector<std::string> names;
    for (const ParamSpec& param : spec.params)
        if (param.type == ParamType::Int && param.computes && param.counts(values) &&
            std::find(kWords.begin(), kWords.end(), param.unit) != kWords.end())
            names.push_back(param.name);
    return names;
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

std::string nearestText(const std::string& name, const WidthTry& found, MatchedSize size, double target)
{
    return fmt::format("{} = {} gives {:.0f} {}, {:.1f} % from {:.0f}", name, found.value, found.size,
                       matchedSizeText(size), 100 * std::abs(found.size - target) / target, target);
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
        WidthTries tries(experiment, registry, check, fmt::format("{}.{}", node, name), size);
        const ParamSpec& bounds = *spec->param(name);
        const auto most =
            static_cast<std::int64_t>(std::min<double>(bounds.maximum.value_or(kWidestTried), kWidestTried));
        bisect(tries, target, static_cast<std::int64_t>(bounds.minimum.value_or(1)), most);
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
