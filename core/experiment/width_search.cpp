// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/width_search.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {
namespace {

/// Where heads must divide a width, one of the neighbours runs.
constexpr std::int64_t kNeighbours = 64;

} // namespace

/// Of the nearest value that runs.
std::optional<WidthTry> WidthTries::near(std::int64_t value, std::int64_t least, std::int64_t most)
{
    for (std::int64_t off = 0; off <= kNeighbours; ++off)
        for (std::int64_t each : {value + off, value - off})
            if (each >= least && each <= most)
                if (const auto size = at(each))
                    return WidthTry{each, *size};
    return {};
}

std::optional<WidthTry> WidthTries::nearest(double target) const
{
    std::optional<WidthTry> best;
    for (const auto& [value, size] : m_seen)
        if (size && (!best || std::abs(*size - target) < std::abs(best->size - target)))
            best = WidthTry{value, *size};
    return best;
}

std::optional<double> WidthTries::at(std::int64_t value)
{
    if (const auto seen = m_seen.find(value); seen != m_seen.end())
        return seen->second;
    std::optional<double>& size = m_seen[value];
    const auto experiment = m_make(value);
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

void WidthTries::bisect(double target, std::int64_t least, std::int64_t most)
{
    auto low = near(least, least, most);
    if (!low || low->size >= target)
        return;
    std::optional<WidthTry> high;
    for (std::int64_t value = std::max<std::int64_t>(2 * low->value, 16); !high && low->value < most; value *= 2) {
        const auto found = near(std::min(value, most), least, most);
        if (!found)
            return;
        (found->size >= target ? high : low) = found;
        if (value >= most)
            break;
    }
    while (high && high->value - low->value > 1) {
        const auto middle = near((low->value + high->value) / 2, low->value + 1, high->value - 1);
        if (!middle)
            return;
        (middle->size >= target ? high : low) = middle;
    }
}

bool hasUnit(const ParamSpec& param, std::initializer_list<const char*> units)
{
    return param.type == ParamType::Int && param.computes &&
           std::any_of(units.begin(), units.end(), [&](const char* unit) { return param.unit == unit; });
}

std::string widthParam(const BlockSpec& spec)
{
    for (const ParamSpec& param : spec.params)
        if (hasUnit(param, {"units", "features"}))
            return param.name;
    return {};
}

std::vector<std::string> widthParams(const BlockSpec& spec, const Params& values)
{
    std::vector<std::string> names;
    for (const ParamSpec& param : spec.params)
        if (hasUnit(param, {"units", "features", "modes"}) && param.counts(values))
            names.push_back(param.name);
    return names;
}

std::string nearestText(const std::string& name, const WidthTry& found, MatchedSize size, double target)
{
    return fmt::format("{} = {} gives {:.0f} {}, {:.1f} % from {:.0f}", name, found.value, found.size,
                       matchedSizeText(size), 100 * std::abs(found.size - target) / target, target);
}

} // namespace unroll
