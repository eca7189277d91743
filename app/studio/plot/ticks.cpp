// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/ticks.h"

#include "app/studio/theme/number_text.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kRounding = 1e-9; ///< of a step: what sums of steps may be off

double roundStep(double rough)
{
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough * (1 - kRounding))
            return factor * power;
    return 10 * power;
}

double timeStep(double rough)
{
    constexpr double day = 86400;
    for (const double step :
         {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400})
        if (step >= rough * (1 - kRounding))
            return step;
    return day * std::ceil(roundStep(rough / day));
}

/// Multiples of the step within low..high, counted by whole steps, so that no rounding adds up along the axis.
template <class Label>
std::vector<Tick> multiples(double low, double high, double step, const Label& label)
{
    std::vector<Tick> ticks;
    const double first = std::ceil(low / step - kRounding);
    const double last = std::floor(high / step + kRounding);
    for (int i = 0; first + i <= last; ++i)
        ticks.push_back({(first + i) * step, label((first + i) * step)});
    return ticks;
}

QString withoutSmallExponent(QString text)
{
    return text.replace("e-0", "e-").replace("e+0", "e");
}

/// "5 min" rather than "5 min 00 s".
QString roundDuration(double seconds)
{
    QString text = durationText(seconds);
    for (const QString& nothing : {QStringLiteral(" 00 s"), QStringLiteral(" 00 min")})
        if (text.endsWith(nothing))
            text.chop(nothing.size());
    return text;
}

/// 1, 2 and 5 times each power of ten, with labels on all of them; else every `every`-th power has one, and only where
/// that is each, lines stand between.
std::vector<Tick> powerTicks(double low, double high, int every, bool all125)
{
    std::vector<Tick> ticks;
    for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10.0, power) <= high; ++power) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10.0, power);
            const bool labelled = all125 || (factor == 1.0 && power % every == 0);
            if (value >= low * (1 - kRounding) && value <= high * (1 + kRounding) && (labelled || every == 1))
                ticks.push_back({value, labelled ? axisNumber(value, value, value) : QString()});
        }
    }
    return ticks;
}

/// One number tells a place, two a scale.
bool tellsTheScale(const std::vector<Tick>& ticks)
{
    return std::count_if(ticks.begin(), ticks.end(), [](const Tick& tick) { return !tick.label.isEmpty(); }) >= 2;
}

/// From few ticks to more, until they tell the scale: a round step may be more than half of the axis.
template <class TicksFor>
std::vector<Tick> enough(int wanted, const TicksFor& ticksFor)
{
    std::vector<Tick> ticks = ticksFor(wanted);
    for (int more = 2 * wanted; !tellsTheScale(ticks) && more <= 8 * wanted; more *= 2)
        ticks = ticksFor(more);
    return ticks;
}

} // namespace

QString axisNumber(double value, double step, double largest)
{
    const double size = std::max({std::abs(value), step, largest});
    if (std::abs(value) < step * 1e-6)
        return QStringLiteral("0");
    if (size < 1e-3 || size >= 1e21)
        return withoutSmallExponent(QString::number(value, 'g', 3));
    struct Unit {
        double size;
        double least; ///< of the largest number for which it is taken
        const char* sign;
    };
    for (const Unit& unit : {Unit{1e18, 1e18, "E"},
                             {1e15, 1e15, "P"},
                             {1e12, 1e12, "T"},
                             {1e9, 1e9, "G"},
                             {1e6, 1e6, "M"},
                             {1e3, 1e4, "k"},
                             {1, 0, ""}}) {
        if (size < unit.least || (unit.size > 1 && step < unit.size / 10))
            continue;
        const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit.size) - kRounding)), 0, 6);
        return QString::number(value / unit.size, 'f', decimals) + unit.sign;
    }
    return {};
}

std::vector<Tick> linearTicks(double low, double high, int wanted)
{
    if (!(high > low) || wanted < 1)
        return {};
    const double largest = std::max(std::abs(low), std::abs(high));
    return enough(wanted, [&](int count) {
        const double step = roundStep((high - low) / count);
        return multiples(low, high, step, [&](double value) { return axisNumber(value, step, largest); });
    });
}

std::vector<Tick> logTicks(double low, double high, int wanted)
{
    if (!(low > 0) || !(high > low) || wanted < 1)
        return {};
    const double decades = std::log10(high / low);
    const bool roomForAll = decades * 3 <= 2.0 * wanted;
    // From few labels to more, until there are enough.
    for (int every = std::max(1, static_cast<int>(std::ceil(decades / wanted))); every >= 1; --every)
        if (auto ticks = powerTicks(low, high, every, roomForAll); tellsTheScale(ticks))
            return ticks;
    const auto ticks = powerTicks(low, high, 1, true);
    return tellsTheScale(ticks) ? ticks : linearTicks(low, high, wanted);
}

std::vector<Tick> timeTicks(double low, double high, int wanted)
{
    if (!(high > low) || wanted < 1)
        return {};
    const double rough = (high - low) / wanted;
    if (rough < 0.5) {
        std::vector<Tick> ticks = linearTicks(low, high, wanted);
        for (Tick& tick : ticks)
            tick.label += " s";
        return ticks;
    }
    return enough(wanted,
                  [&](int count) { return multiples(low, high, timeStep((high - low) / count), roundDuration); });
}

} // namespace unroll
