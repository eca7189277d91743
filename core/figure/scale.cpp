// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace unroll {

namespace {

constexpr int kMostDecimals = 9;
constexpr double kRounding = 1e-9; ///< of a step: what sums of steps may be off
constexpr std::array<const char*, 10> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

/// The text of a number with a minus sign in place of the hyphen.
std::string withMinus(std::string text)
{
    if (text.starts_with('-'))
        text.replace(0, 1, "−");
    return text;
}

std::string powerOfTen(int exponent)
{
    std::string text = exponent < 0 ? "10⁻" : "10";
    for (const char digit : std::to_string(std::abs(exponent)))
        text += kRaised[static_cast<std::size_t>(digit - '0')];
    return text;
}

double roundStep(double rough)
{
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough * (1 - kRounding))
            return factor * power;
    return 10 * power;
}

std::vector<AxisTick> multiples(double low, double high, double step)
{
    std::vector<AxisTick> ticks;
    const double first = std::ceil(low / step - kRounding), last = std::floor(high / step + kRounding);
    for (double i = first; i <= last && ticks.size() < 1000; ++i)
        ticks.push_back({i * step, axisNumber(i * step, step)});
    return ticks;
}

bool isRange(double low, double high)
{
    return std::isfinite(low) && std::isfinite(high) && low < high;
}

} // namespace

double Scale::at(double value) const
{
    if (!log)
        return from + (value - low) / (high - low) * (to - from);
    if (!(value > 0))
        return std::numeric_limits<double>::quiet_NaN();
    return from + (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) * (to - from);
}

bool Scale::holds(double value) const
{
    const double slack = log ? 0 : (high - low) * kRounding;
    return std::isfinite(value) && value >= low - slack && value <= high + slack;
}

std::vector<AxisTick> axisTicks(double low, double high, int wanted)
{
    if (!isRange(low, high) || wanted < 1)
        return {};
    std::vector<AxisTick> ticks;
    for (int count = wanted; ticks.size() < 2 && count <= 8 * wanted; count *= 2)
        ticks = multiples(low, high, roundStep((high - low) / count));
    return ticks;
}

std::vector<AxisTick> wholeTicks(double low, double high, int wanted)
{
    if (!isRange(low, high) || wanted < 1)
        return {};
    return multiples(low, high, std::max(1.0, roundStep((high - low) / wanted)));
}

std::vector<AxisTick> logAxisTicks(double low, double high, int wanted)
{
    if (!isRange(low, high) || !(low > 0) || wanted < 1)
        return {};
    const double decades = std::log10(high / low);
    const bool all125 = decades * 3 <= 2.0 * wanted;
    const int every = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
    std::vector<AxisTick> ticks;
    for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10.0, power) <= high; ++power)
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10.0, power);
            const bool labelled = all125 || (factor == 1.0 && power % every == 0);
            if (value >= low * (1 - kRounding) && value <= high * (1 + kRounding) && (labelled || every == 1))
                ticks.push_back({value, !labelled              ? std::string()
                                        : std::abs(power) <= 3 ? axisNumber(value, value)
                                        : factor == 1.0        ? powerOfTen(power)
                                                               : fmt::format("{}×{}", factor, powerOfTen(power))});
        }
    const auto labels =
        std::count_if(ticks.begin(), ticks.end(), [](const AxisTick& tick) { return !tick.label.empty(); });
    return labels >= 2 ? ticks : axisTicks(low, high, wanted);
}

std::string axisNumber(double value, double step)
{
    if (std::abs(value) < step * 1e-6)
        return "0";
    const double size = std::abs(value);
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kRounding)));
    if (size < 1e6 && (step >= 1e-5 || (size >= 1e-2 && decimals <= kMostDecimals)))
        return withMinus(fmt::format("{:.{}f}", value, decimals));
    const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-12));
    const int digits = std::clamp(exponent - static_cast<int>(std::floor(std::log10(step) + 1e-12)), 0, 6);
    const std::string mantissa = fmt::format("{:.{}f}", value / std::pow(10.0, exponent), digits);
    return mantissa == "1" ? powerOfTen(exponent) : withMinus(mantissa) + "×" + powerOfTen(exponent);
}

double roundedUp(double value)
{
    if (!(value > 0) || !std::isfinite(value))
        return 1;
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 6.0, 8.0})
        if (factor * power >= value * (1 - 1e-6))
            return factor * power;
    return 10 * power;
}

} // namespace unroll
