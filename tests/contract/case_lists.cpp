// SPDX-License-Identifier: GPL-3.0-or-later
// Which cases of a block the contract suite takes.
#include "core/check/ports.h"
#include "tests/contract/block_case.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <random>
#include <set>

namespace unroll::contract {

namespace {

constexpr std::int64_t kClasses = 7;
constexpr std::int64_t kSmallSize = 6; // a numeric gradient can walk through it
constexpr std::int64_t kFreshSize = 64;
constexpr std::int64_t kNumbers = 4; // of target values
constexpr std::uint32_t kMixtures = 8;
constexpr int kMostFixes = 3;
const std::vector<std::int64_t> kWidths = {5, kSmallSize, 2 * kSmallSize, 1};

std::string textOf(const ParamValue& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return fmt::format("{}", *real);
    return std::get<std::string>(value);
}

/// Defaults, with sizes of at most `largest`.
Params sizedParams(const BlockSpec& spec, std::int64_t largest)
{
    Params params = spec.withDefaults({});
    for (const ParamSpec& param : spec.params)
        if (auto* size = std::get_if<std::int64_t>(&params[param.name]); size != nullptr && *size > largest)
            *size = largest;
    return params;
}

Params smallParams(const BlockSpec& spec)
{
    return sizedParams(spec, kSmallSize);
}

/// Other values a parameter may take.
std::vector<ParamValue> otherValues(const ParamSpec& param, const ParamValue& value)
{
    std::vector<ParamValue> others;
    if (const auto* flag = std::get_if<bool>(&value))
        others.emplace_back(std::in_place_type<bool>, !*flag);
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        for (std::int64_t other : {std::int64_t{2}, std::int64_t{3}})
            if (other != *integer)
                others.emplace_back(std::in_place_type<std::int64_t>, other);
    if (const auto* real = std::get_if<double>(&value))
        others.emplace_back(std::in_place_type<double>,
                            *real + 0.3 * (std::min(param.maximum.value_or(1e9), *real + 1) - *real));
    for (const ChoiceSpec& choice : param.choices)
        if (choice.value != std::get<std::string>(value))
            others.emplace_back(std::in_place_type<std::string>, choice.value);
    return others;
}

/// The parameters with what makes this one count.
Params counting(const BlockSpec& spec, const ParamSpec& param, Params params)
{
    if (param.counts(params))
        return params;
    const auto& [other, choices] = param.when.front();
    const bool flag = spec.param(other)->type == ParamType::Bool;
    params[other] = flag ? ParamValue(choices.front() == "true") : ParamValue(choices.front());
    return params;
}

/// What the block computes with: how weights begin and are trained has tests of its own.
std::vector<ParamSpec> computing(const BlockSpec& spec)
{
    std::vector<ParamSpec> params;
    std::copy_if(spec.params.begin(), spec.params.end(), std::back_inserter(params),
                 [](const ParamSpec& param) { return param.computes; });
    return params;
}

std::map<std::string, Shape> inputShapes(const std::vector<PortSpec>& ports, std::int64_t width, std::int64_t lastWidth)
{
    std::map<std::string, Shape> shapes;
    std::string last;
    for (const PortSpec& port : ports) {
        if (port.type == PortType::State || port.type == PortType::Table)
            continue;
        Shape shape{.type = port.type};
        if (port.type == PortType::Tokens || port.type == PortType::Targets)
            shape.classes = kClasses;
        if (port.type == PortType::Sequence || port.type == PortType::Vector) {
            shape.width = width;
            last = port.name;
        }
        if (port.type == PortType::TargetValues) {
            shape.width = kNumbers;
            shape.shares = true;
        }
        shapes[port.name] = shape;
    }
    if (!last.empty())
        shapes[last].width = lastWidth;
    return shapes;
}

/// The widths at which each option is taken: where there are targets theirs too, since what is compared as it comes
/// must be as wide; and without projections one that four parts divide.
std::vector<std::int64_t> optionWidths(const BlockSpec& spec, const ParamSpec& param)
{
    std::vector<std::int64_t> widths = {5, kSmallSize};
    if (param.name == "projections")
        widths.push_back(2 * kSmallSize);
    for (const PortSpec& port : spec.inputs)
        if (port.type == PortType::Targets || port.type == PortType::TargetValues)
            widths.push_back(port.type == PortType::Targets ? kClasses : kNumbers);
    return widths;
}

/// A state of the shape that the block itself gives; nothing where the spec refuses the case and offers no other value.
bool complete(BlockCase& blockCase)
{
    Inferred inferred = infer(blockCase);
    for (int i = 0; i < kMostFixes && hasErrors(inferred.diagnostics) && inferred.offer; ++i) {
        blockCase.params[inferred.offer->first] = inferred.offer->second;
        inferred = infer(blockCase);
    }
    if (hasErrors(inferred.diagnostics))
        return false;
    for (const PortSpec& port : blockCase.spec->inputs)
        if (port.type == PortType::State)
            blockCase.inputs[port.name] = inferred.outputs.at("state");
    return true;
}

/// A table such as the block hands on; of one that hands none on, a row for each class.
Shape tableFor(const BlockCase& blockCase, const PortSpec& port)
{
    const auto outputs = infer(blockCase).outputs;
    const auto own = outputs.find(port.name);
    return own != outputs.end() ? own->second
                                : Shape{.type = port.type, .width = blockCase.inputs.at("x").width, .rows = kClasses};
}

/// The case with every table, or with those that must be there.
BlockCase withTables(BlockCase made, bool all)
{
    for (const PortSpec& port : portsWith(*made.spec, made.params).inputs)
        if (port.type == PortType::Table && (all || !port.optional))
            made.inputs[port.name] = tableFor(made, port);
    return made;
}

class Cases {
public:
    explicit Cases(const BlockSpec& spec) : m_spec(spec) {}

    void add(const Params& params, std::int64_t width, std::int64_t lastWidth)
    {
        BlockCase made{&m_spec, params, inputShapes(portsWith(m_spec, params).inputs, width, lastWidth)};
        if (!complete(made))
            return;
        for (const bool all : {false, true})
            if (BlockCase wired = withTables(made, all); m_seen.insert(wired.text()).second)
                m_cases.push_back(std::move(wired));
    }

    std::vector<BlockCase> take() { return std::move(m_cases); }

private:
    const BlockSpec& m_spec;
    std::vector<BlockCase> m_cases;
    std::set<std::string> m_seen;
};

/// A random number of 32 bits, always the same one for a name in a mixture.
std::size_t drawOf(const Mixture& mixture, const std::string& name)
{
    std::vector<std::uint32_t> seeds{mixture.seed, mixture.number};
    for (const char c : mixture.block + " " + name)
        seeds.push_back(static_cast<unsigned char>(c));
    std::seed_seq sequence(seeds.begin(), seeds.end());
    return std::mt19937(sequence)();
}

} // namespace

Params mixed(const std::vector<ParamSpec>& changing, Params params, const Mixture& mixture)
{
    for (const ParamSpec& param : changing) {
        const auto others = otherValues(param, params.at(param.name));
        const std::size_t pick = drawOf(mixture, param.name) % (others.size() + 1);
        if (pick < others.size())
            params[param.name] = others[pick];
    }
    return params;
}

std::string BlockCase::text() const
{
    std::string words = spec->id;
    const Params usual = smallParams(*spec);
    for (const auto& [name, value] : params)
        if (value != usual.at(name))
            words += " " + name + "=" + textOf(value);
    for (const auto& [port, shape] : inputs)
        if (shape.type == PortType::Sequence || shape.type == PortType::Table)
            words += fmt::format(" {}:{}", port, shape.width);
    return words;
}

std::vector<BlockCase> casesOf(const std::string& block)
{
    const BlockSpec& spec = *registry().find(block);
    Cases cases(spec);
    const Params usual = smallParams(spec);
    for (std::int64_t width : kWidths)
        cases.add(usual, width, width);
    cases.add(usual, 5, 3);
    for (const ParamSpec& param : computing(spec))
        for (const ParamValue& other : otherValues(param, usual.at(param.name))) {
            Params params = counting(spec, param, usual);
            params[param.name] = other;
            for (std::int64_t width : optionWidths(spec, param))
                cases.add(params, width, width);
        }
    for (std::uint32_t i = 0; i < kMixtures && !spec.params.empty(); ++i) {
        const Mixture mixture{.block = block, .seed = 4, .number = i};
        const std::int64_t width = kWidths[drawOf(mixture, "the width of x") % 3];
        cases.add(mixed(computing(spec), usual, mixture), width, width);
    }
    return cases.take();
}

std::vector<BlockCase> freshCasesOf(const std::string& block)
{
    constexpr std::int64_t kFreshWidth = 48;
    const BlockSpec& spec = *registry().find(block);
    Cases cases(spec);
    const Params usual = sizedParams(spec, kFreshSize);
    cases.add(usual, kFreshWidth, kFreshWidth);
    cases.add(usual, kFreshSize, kFreshSize);
    for (const ParamSpec& param : spec.params)
        for (const ParamValue& other : otherValues(param, usual.at(param.name))) {
            Params params = counting(spec, param, usual);
            params[param.name] = other;
            cases.add(params, kFreshWidth, kFreshWidth);
        }
    for (std::uint32_t i = 0; i < kMixtures && !spec.params.empty(); ++i)
        cases.add(mixed(spec.params, usual, {.block = block, .seed = 5, .number = i}), kFreshWidth, kFreshWidth);
    return cases.take();
}

} // namespace unroll::contract
