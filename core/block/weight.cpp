// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/weight.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

std::string numberText(double value)
{
    return fmt::format("{:.3g}", value);
}

/// "±1/√units = ±0.0884", or either alone.
std::string both(const std::string& formula, const std::string& number, bool numbers)
{
    if (formula.empty() || formula == number)
        return number;
    return numbers ? fmt::format("{} = {}", formula, number) : formula;
}

/// A Normal with low below high is one whose draws beyond these, in deviations, are drawn again.
bool isCut(const InitialValues& values)
{
    return values.draw == InitialValues::Draw::Normal && values.low < values.high;
}

/// Deviation of a normal distribution of deviation 1 that is cut at -high and high: of its variance
/// 2 high φ(high) / (2 Φ(high) - 1) is gone.
double cutDeviation(double high)
{
    const double density = std::exp(-high * high / 2) / std::sqrt(2 * std::acos(-1.0));
    return std::sqrt(1 - 2 * high * density / std::erf(high / std::sqrt(2.0)));
}

std::string signText(double scale)
{
    return scale < 0 ? "−" : "";
}

} // namespace

InitialValues constantValues(double value, std::string formula)
{
    return {.draw = InitialValues::Draw::None, .shift = value, .formula = std::move(formula)};
}

InitialValues zeroValues()
{
    return constantValues(0);
}

InitialValues uniformValues(double bound, std::string formula)
{
    return {.draw = InitialValues::Draw::Uniform, .low = -bound, .high = bound, .formula = std::move(formula)};
}

InitialValues normalValues(double deviation, std::string formula)
{
    return {.draw = InitialValues::Draw::Normal, .scale = deviation, .formula = std::move(formula)};
}

InitialValues orthogonalValues()
{
    return {.draw = InitialValues::Draw::Orthogonal};
}

InitialValues logUniformValues(double low, double high, double sign)
{
    return {.draw = InitialValues::Draw::LogOfUniform, .low = low, .high = high, .scale = sign};
}

InitialValues logOfLogValues(double low, double high)
{
    return {.draw = InitialValues::Draw::LogOfLog, .low = low, .high = high};
}

InitialValues computedValues(double low, double high, std::string formula)
{
    return {.draw = InitialValues::Draw::Computed, .low = low, .high = high, .formula = std::move(formula)};
}

InitialValues shifted(InitialValues values, double by)
{
    values.shift += by;
    return values;
}

InitialValues scaled(InitialValues values, double by)
{
    values.scale *= by;
    values.shift *= by;
    if (by != 1 && !values.formula.empty())
        values.formula = numberText(by) + " " + values.formula;
    return values;
}

namespace {

/// ∫ ln u and ∫ (ln u)^2, by parts.
double integralOfLog(double u)
{
    return u > 0 ? u * std::log(u) - u : 0;
}

double integralOfSquaredLog(double u)
{
    return u > 0 ? u * std::log(u) * std::log(u) - 2 * integralOfLog(u) : 0;
}

struct Moments {
    double mean = 0;
    double deviation = 0;
};

/// Of ln(-½ ln u), by the midpoint rule: its ends are infinite, but hold little.
Moments logOfLogMoments(double low, double high)
{
    constexpr int pieces = 100'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < pieces; ++i) {
        const double value = std::log(-0.5 * std::log(low + (high - low) * (i + 0.5) / pieces));
        sum += value / pieces;
        squares += value * value / pieces;
    }
    return {sum, std::sqrt(squares - sum * sum)};
}

} // namespace

double InitialValues::mean() const
{
    switch (draw) {
    case Draw::Uniform: return shift + scale * (low + high) / 2;
    case Draw::LogOfUniform:
        if (high <= low)
            return shift + scale * std::log(low);
        return shift + scale * (integralOfLog(high) - integralOfLog(low)) / (high - low);
    case Draw::LogOfLog: return shift + scale * logOfLogMoments(low, high).mean;
    case Draw::Computed: return std::numeric_limits<double>::quiet_NaN();
    default: return shift;
    }
}

double InitialValues::deviation() const
{
    switch (draw) {
    case Draw::Uniform: return std::abs(scale) * (high - low) / std::sqrt(12.0);
    case Draw::Normal: return std::abs(scale) * (isCut(*this) ? cutDeviation(high) : 1);
    case Draw::LogOfUniform: {
        if (high <= low)
            return 0;
        const double mean = (integralOfLog(high) - integralOfLog(low)) / (high - low);
        const double square = (integralOfSquaredLog(high) - integralOfSquaredLog(low)) / (high - low);
        return std::abs(scale) * std::sqrt(square - mean * mean);
    }
    case Draw::LogOfLog: return std::abs(scale) * logOfLogMoments(low, high).deviation;
    case Draw::Computed: return std::numeric_limits<double>::quiet_NaN();
    default: return 0;
    }
}

std::string InitialValues::text(bool numbers) const
{
    const std::string added = shift == 0 || draw == Draw::None ? "" : fmt::format(", plus {}", numberText(shift));
    switch (draw) {
    case Draw::None: return both(formula, numberText(shift), numbers);
    case Draw::Uniform:
        return fmt::format("uniform within {}{}",
                           both(formula.empty() ? "" : "±" + formula, "±" + numberText(scale * high), numbers), added);
    case Draw::Normal:
        return fmt::format("normal, std {}{}{}", both(formula, numberText(scale), numbers),
                           isCut(*this) ? fmt::format(", cut at ±{} std", numberText(high)) : "", added);
    case Draw::Orthogonal: return (formula.empty() ? "orthogonal" : formula) + added;
    case Draw::LogOfUniform:
        return fmt::format("{}ln u, u uniform from {} to {}{}", signText(scale), numberText(low), numberText(high),
                           added);
    case Draw::LogOfLog:
        return fmt::format("ln(−½ ln u), u uniform from {} to {}{}", numberText(low), numberText(high), added);
    case Draw::Computed: return formula;
    }
    return {};
}

namespace {

std::string constraintText(const WeightConstraint& constraint, std::size_t dimensions)
{
    const char* of = dimensions < 2 ? "its norm" : constraint.columns ? "each column's norm" : "each row's norm";
    switch (constraint.kind) {
    case WeightConstraint::Kind::MaxNorm: return fmt::format(", {} at most {}", of, numberText(constraint.largest));
    case WeightConstraint::Kind::NonNegative: return ", never below 0";
    case WeightConstraint::Kind::UnitNorm: return fmt::format(", {} kept at 1", of);
    case WeightConstraint::Kind::MinMaxNorm:
        return fmt::format(", {} {}{} to {}", of,
                           constraint.rate < 1 ? fmt::format("moved {} of the way into ", numberText(constraint.rate))
                                               : std::string("kept within "),
                           numberText(constraint.smallest), numberText(constraint.largest));
    case WeightConstraint::Kind::None: break;
    }
    return {};
}

} // namespace

WeightRule WeightRule::atLength(std::int64_t steps) const
{
    WeightRule rule = *this;
    if (!byLength || steps <= 0)
        return rule;
    const double length = static_cast<double>(steps);
    rule.byLength = false;
    rule.learningRateScale *= std::sqrt(2 / length);
    rule.clipScale *= std::sqrt(length / 2);
    return rule;
}

std::string WeightRule::text(std::size_t dimensions) const
{
    std::string words = decay.value_or(dimensions >= 2) ? "weight decay" : "no weight decay";
    if (learningRateScale != 1)
        words += learningRateScale == 0 ? ", frozen: learning rate × 0"
                                        : fmt::format(", learning rate × {}", numberText(learningRateScale));
    if (byLength)
        words += ", learning rate × √(2 / T)";
    if (!clipGroup.empty())
        words +=
            fmt::format(", gradient clipped with the group {}{}", clipGroup, byLength ? ", to clip × √(T / 2)" : "");
    if (l1 > 0)
        words += fmt::format(", {} Σ|w| in the loss", numberText(l1));
    if (l2 > 0)
        words += fmt::format(", {} Σw² in the loss", numberText(l2));
    if (orthogonal > 0)
        words += fmt::format(", {} of the mean |cos| between {} in the loss", numberText(orthogonal),
                             orthogonalColumns ? "columns" : "rows");
    return words + constraintText(constraint, dimensions);
}

std::int64_t WeightSpec::elements() const
{
    std::int64_t count = 1;
    for (const WeightSize& each : shape)
        count = product({count, each.size});
    return count;
}

std::string WeightSpec::symbols() const
{
    std::vector<std::string> words;
    for (const WeightSize& each : shape)
        words.push_back(each.symbol);
    return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string WeightSpec::sizesText() const
{
    std::vector<std::int64_t> sizes;
    for (const WeightSize& each : shape)
        sizes.push_back(each.size);
    return fmt::format("[{}]", fmt::join(sizes, ", "));
}

/// Neighbours that begin alike are said together.
std::string WeightSpec::initialText(bool numbers) const
{
    std::vector<std::pair<std::string, std::string>> said; // names, words
    for (const WeightPart& part : parts) {
        const std::string words = part.initial.text(numbers);
        const auto same =
            std::find_if(said.begin(), said.end(), [&](const auto& each) { return each.second == words; });
        if (same == said.end())
            said.emplace_back(part.name, words);
        else if (same->first.find(part.name) == std::string::npos)
            same->first += ", " + part.name;
    }
    if (said.size() == 1)
        return said.front().second;
    std::vector<std::string> lines;
    for (const auto& [names, words] : said)
        lines.push_back(fmt::format("{}: {}", names, words));
    return fmt::format("{}", fmt::join(lines, "; "));
}

std::string WeightSpec::trainingText() const
{
    return trained ? rule.text(shape.size()) : "not trained";
}

WeightSpec plainWeight(std::string name, std::vector<WeightSize> shape, InitialValues initial, std::string source)
{
    const std::int64_t rows = shape.empty() ? 1 : shape.front().size;
    return {.name = std::move(name),
            .shape = std::move(shape),
            .parts = {{"", rows, std::move(initial)}},
            .source = std::move(source)};
}

std::int64_t trainedElements(const std::vector<WeightSpec>& weights)
{
    std::int64_t count = 0;
    for (const WeightSpec& weight : weights)
        if (weight.trained)
            count = sum({count, weight.elements()});
    return count;
}

bool sizesAreKnown(const std::vector<WeightSpec>& weights)
{
    return std::all_of(weights.begin(), weights.end(), [](const WeightSpec& weight) { return weight.elements() > 0; });
}

} // namespace unroll
