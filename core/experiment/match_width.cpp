// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/match_width.h"

#include "core/base/nearest.h"
#include "core/check/kept_state.h"
#include "core/experiment/adjust.h"
#include "core/experiment/framed_cell.h"
#include "core/experiment/width_search.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>

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

std::vector<std::string> wholeParams(const BlockSpec& spec)
{
    std::vector<std::string> names;
    for (const ParamSpec& param : spec.params)
        if (param.type == ParamType::Int)
            names.push_back(param.name);
    return names;
}

/// What is wrong with the parameter that the wish names to be solved; empty: nothing.
std::string namedParamFault(const BlockSpec& spec, const BlockWish& wish)
{
    const std::vector<std::string> names = wholeParams(spec);
    if (wish.widthParam.empty() || std::find(names.begin(), names.end(), wish.widthParam) != names.end())
        return {};
    return fmt::format("{} has no whole-number parameter named {}{}", spec.title, wish.widthParam,
                       suggestion(wish.widthParam, names));
}

bool isSet(const BlockWish& wish, const std::string& name)
{
    return std::any_of(wish.settings.begin(), wish.settings.end(),
                       [&](const auto& each) { return each.first == name; });
}

/// One block at one node, made as large as the target.
class Matching {
public:
    Matching(const Experiment& experiment, const BlockRegistry& registry,
             const std::function<CheckedGraph(const Experiment&)>& check, std::string node, BlockWish wish,
             MatchedSize size, double target, double tolerance)
        : m_experiment(experiment),
          m_registry(registry),
          m_check(check),
          m_node(std::move(node)),
          m_wish(std::move(wish)),
          m_size(size),
          m_target(target),
          m_tolerance(tolerance),
          m_placed(findNodeAt(experiment.graph, m_node)),
          m_spec(m_placed != nullptr ? registry.find(m_placed->block) : nullptr)
    {}

    /// The error says what came nearest, or why nothing runs.
    Result<MatchedWidth> solve()
    {
        if (m_spec == nullptr)
            return fail("there is no such node", m_node);
        if (const std::string fault = namedParamFault(*m_spec, m_wish); !fault.empty())
            return fail(fault);
        for (const std::string& name : triedParams())
            if (auto found = solveBy(param(name)))
                return std::move(*found);
        if (isFramed())
            if (auto found = solveBy(frame()))
                return std::move(*found);
        return fail(m_told.empty() ? faultAsItIs() : m_told);
    }

    /// What the lane can ask for in place of this, as "; gla:num_heads=1 does, with units = 32", or what else to do.
    std::string remedy();

private:
    /// A whole number that changes the experiment, and its bounds.
    struct Solved {
        std::string name; ///< of a parameter, or kFrameParam
        std::int64_t least = 1, most = 1;
        WidthTries::Make with;
    };

    Solved param(const std::string& name) const
    {
        const ParamSpec& bounds = *m_spec->param(name);
        return {name, static_cast<std::int64_t>(bounds.minimum.value_or(1)),
                static_cast<std::int64_t>(std::min<double>(bounds.maximum.value_or(kWidestTried), kWidestTried)),
                [this, name](std::int64_t value) {
                    return withAssignment(m_experiment, m_registry, fmt::format("{}.{}={}", m_node, name, value));
                }};
    }

    Solved frame() const
    {
        return {kFrameParam, kNarrowestFrame, kWidestTried, [this](std::int64_t width) {
                    return withFramedCell(m_experiment, m_registry, m_node, widthParam(*m_spec), width, outsideWidth());
                }};
    }

    std::vector<std::string> triedParams() const
    {
        if (!m_wish.widthParam.empty())
            return {m_wish.widthParam};
        std::vector<std::string> names{widthParam(*m_spec)};
        const Params values = m_spec->withDefaults(m_placed->params);
        for (const ParamSpec& each : m_spec->params)
            if (each.counts(values) &&
                (hasUnit(each, {"modes"}) || (m_size == MatchedSize::State && hasUnit(each, {"rows"}))))
                names.push_back(each.name);
        std::erase_if(names, [&](const std::string& name) { return name.empty() || isSet(m_wish, name); });
        return names;
    }

    /// A cell as wide as its input, or one that nothing around it lets have another width.
    bool isFramed() const
    {
        const std::string width = widthParam(*m_spec);
        return m_wish.widthParam.empty() && (width.empty() || (!m_hasRun && !isSet(m_wish, width))) &&
               (m_spec->category == Category::Recurrent || m_spec->category == Category::Attention) &&
               outsideWidth() > 0;
    }

    std::int64_t outsideWidth() const
    {
        if (!m_outside)
            m_outside = outputWidth(m_check(m_experiment), m_experiment.graph, m_node);
        return *m_outside;
    }

    static std::int64_t outputWidth(const CheckedGraph& checked, const Graph& graph, const std::string& path)
    {
        const std::size_t dot = path.find('.');
        const Node* node = graph.findByName(path.substr(0, dot));
        const auto found = node != nullptr ? checked.nodes.find(node->id) : checked.nodes.end();
        if (found == checked.nodes.end())
            return 0;
        if (dot != std::string::npos)
            return found->second.inner && node->group
                       ? outputWidth(*found->second.inner, *node->group->graph, path.substr(dot + 1))
                       : 0;
        const auto y = found->second.outputs.find("y");
        return y != found->second.outputs.end() && y->second.type == PortType::Sequence ? y->second.width : 0;
    }

    std::string faultAsItIs() const
    {
        for (const Diagnostic& diagnostic : m_check(m_experiment).diagnostics)
            if (diagnostic.severity == Severity::Error)
                return diagnostic.sentence;
        return "none of its parameters is a width that may be solved";
    }

    std::optional<MatchedWidth> solveBy(const Solved& number)
    {
        WidthTries tries(number.with, m_check, m_size);
        tries.bisect(m_target, number.least, number.most);
        const auto found = tries.nearest(m_target);
        const double off = found ? std::abs(found->size - m_target) : -1;
        m_hasRun = m_hasRun || found.has_value();
        if (found && off <= m_tolerance * m_target) {
            auto made = number.with(found->value);
            CheckedGraph checked = m_check(*made);
            return MatchedWidth{std::move(*made), number.name,    found->value,
                                found->size,      off / m_target, std::move(checked)};
        }
        if (found ? m_nearest < 0 || off < m_nearest : m_nearest < 0) {
            m_told = found ? nearestText(number.name, *found, m_size, m_target) : tries.trouble();
            m_nearest = off;
        }
        return {};
    }

    std::string withHeads(const char* name, std::int64_t value);

    const Experiment& m_experiment;
    const BlockRegistry& m_registry;
    const std::function<CheckedGraph(const Experiment&)>& m_check;
    std::string m_node;
    BlockWish m_wish;
    MatchedSize m_size;
    double m_target;
    double m_tolerance; ///< a part of the target
    const Node* m_placed;
    const BlockSpec* m_spec;
    mutable std::optional<std::int64_t> m_outside; ///< features of the cell's output as it is; 0: not known
    bool m_hasRun = false;                         ///< a value of its own parameters
    double m_nearest = -1;                         ///< distance from the target; negative: nothing runs
    std::string m_told;                            ///< empty: nothing was tried
};

/// With heads of another number or size, which divide other widths; empty: not matched either.
std::string Matching::withHeads(const char* name, std::int64_t value)
{
    const auto changed = withAssignment(m_experiment, m_registry, fmt::format("{}.{}={}", m_node, name, value));
    if (!changed)
        return {};
    BlockWish wish = m_wish;
    wish.settings.emplace_back(name, std::to_string(value));
    const auto found = Matching(*changed, m_registry, m_check, m_node, wish, m_size, m_target, m_tolerance).solve();
    return found ? fmt::format("; {} does, with {} = {}", wishText(wish), found->param, found->value) : std::string();
}

std::string Matching::remedy()
{
    if (m_spec == nullptr || !m_wish.widthParam.empty())
        return {};
    constexpr std::pair<const char*, std::int64_t> kOtherHeads[] = {
        {"num_heads", 1}, {"num_heads", 2}, {"num_heads", 8}, {"head_size", 16}, {"head_size", 8}, {"head_size", 4}};
    for (const auto& [name, value] : kOtherHeads)
        if (m_spec->param(name) != nullptr && !isSet(m_wish, name))
            if (std::string found = withHeads(name, value); !found.empty())
                return found;
    const std::vector<std::string> tried = triedParams();
    const Params values = m_spec->withDefaults(m_placed->params);
    for (const ParamSpec& each : m_spec->params)
        if (m_size == MatchedSize::State && each.type == ParamType::Int && each.computes && each.counts(values) &&
            !isSet(m_wish, each.name) && std::find(tried.begin(), tried.end(), each.name) == tried.end())
            if (const auto found = solveBy(param(each.name)))
                return fmt::format("; {}:{} does, with {} = {}", wishText(m_wish), each.name, each.name, found->value);
    return fmt::format("; {}set its parameters in the lane ({}:PARAM=VALUE), or allow more",
                       m_size == MatchedSize::State ? "match parameters, " : "", m_wish.block);
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

double sizeOf(MatchedSize size, const CheckedGraph& checked, const Graph& graph)
{
    switch (size) {
    case MatchedSize::Parameters: return static_cast<double>(checked.cost.parameters);
    case MatchedSize::Flops: return checked.cost.forwardFlops + checked.cost.backwardFlops;
    default: return static_cast<double>(stateNumbers(checked, graph));
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

std::string wishText(const BlockWish& wish)
{
    std::string text = wish.block;
    for (const auto& [name, value] : wish.settings)
        text += fmt::format(":{}={}", name, value);
    return wish.widthParam.empty() ? text : text + ':' + wish.widthParam;
}

Result<Experiment> withBlockWish(const Experiment& experiment, const BlockRegistry& registry, const std::string& node,
                                 const BlockWish& wish)
{
    auto result = withBlock(experiment, registry, node, wish.block);
    for (const auto& [name, value] : wish.settings)
        if (result)
            result = withAssignment(*result, registry, fmt::format("{}.{}={}", node, name, value));
    const BlockSpec* spec = registry.find(wish.block);
    if (result && spec != nullptr)
        if (const std::string fault = namedParamFault(*spec, wish); !fault.empty())
            return fail(fault);
    return result;
}

Result<MatchedWidth> matchWidth(const Experiment& experiment, const BlockRegistry& registry,
                                const std::function<CheckedGraph(const Experiment&)>& check, const std::string& node,
                                const BlockWish& wish, MatchedSize size, double target, double tolerance)
{
    MatchedWidth as{experiment, {}, 0, 0, 0, check(experiment)};
    as.size = sizeOf(size, as.checked, experiment.graph);
    as.error = std::abs(as.size - target) / target;
    if (as.checked.runnable() && as.size == target)
        return as;
    Matching matching(experiment, registry, check, node, wish, size, target, tolerance);
    auto found = matching.solve();
    if (found)
        return found;
    const std::string told = found.error().text();
    return fail(fmt::format("no width of {} gives {:.0f} {} within {:g} %: {}{}", wish.block, target,
                            matchedSizeText(size), 100 * tolerance, told, matching.remedy()));
}

} // namespace unroll
