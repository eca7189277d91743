// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/width_tries.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace unroll {
namespace {

/// Where heads must divide a width, one of the neighbours runs.
constexpr std::int64_t kNeighbours = 64;

/// The model's size over one number, each value checked once.
class WidthTries {
public:
    WidthTries(const SolvedNumber& number, const std::function<CheckedGraph(const Experiment&)>& check,
               const SizeMeasure& measure)
        : m_number(number), m_check(check), m_measure(measure)
    {}

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
        const auto experiment = m_number.with(value);
        if (!experiment) {
            m_trouble = experiment.error().text();
            return {};
        }
        const CheckedGraph checked = m_check(*experiment);
        if (checked.runnable())
            return size = m_measure(checked, *experiment);
        for (const Diagnostic& diagnostic : checked.diagnostics)
            if (diagnostic.severity == Severity::Error) {
                m_trouble = diagnostic.sentence;
                break;
            }
        return {};
    }

    const SolvedNumber& m_number;
    const std::function<CheckedGraph(const Experiment&)>& m_check;
    const SizeMeasure& m_measure;
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

} // namespace

WidthSearch searchWidth(const SolvedNumber& number, const std::function<CheckedGraph(const Experiment&)>& check,
                        const SizeMeasure& measure, double target)
{
    WidthTries tries(number, check, measure);
    bisect(tries, target, number.least, number.most);
    return {tries.nearest(target), tries.trouble()};
}

} // namespace unroll
