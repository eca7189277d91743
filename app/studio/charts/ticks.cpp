// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/charts/ticks.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

double roundStep(double rough)
{
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough * (1 - 1e-9))
            return factor * power;
    return 10 * power;
}

} // namespace

QString axisNumber(double value, double step, double largest)
{
    const double size = std::max({std::abs(value), step, largest});
    if (std::abs(value) < step * 1e-6)
        return QStringLiteral("0");
    if (size < 1e-3 || size >= 1e9)
        return QString::number(value, 'g', 3);
    const bool thousands = size >= 1e4 && step >= 100;
    const bool millions = size >= 1e6 && step >= 1e5;
    const double unit = millions ? 1e6 : thousands ? 1e3 : 1;
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 6);
    return QString::number(value / unit, 'f', decimals) + (millions ? "M" : thousands ? "k" : "");
}

std::vector<Tick> linearTicks(double low, double high, int wanted)
{
    std::vector<Tick> ticks;
    if (!(high > low) || wanted < 1)
        return ticks;
    const double step = roundStep((high - low) / wanted);
    // Counted by whole steps, so that no rounding adds up along the axis.
    const double first = std::ceil(low / step - 1e-9);
    const double last = std::floor(high / step + 1e-9);
    for (double k = first; k <= last; ++k)
        ticks.push_back({k * step, axisNumber(k * step, step, std::max(std::abs(low), std::abs(high)))});
    return ticks;
}

std::vector<Tick> logTicks(double low, double high, int wanted)
{
    if (!(low > 0) || !(high > low))
        return {};
    const double decades = std::log10(high / low);
    if (decades < 1.0 / 3)
        return linearTicks(low, high, wanted);
    std::vector<Tick> ticks;
    const bool all125 = decades * 3 <= 2.0 * wanted;
    const int every = std::max(1, static_cast<int>(std::ceil(decades / wanted)));
    for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10.0, power) <= high; ++power) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10.0, power);
            const bool labelled = all125 || (factor == 1.0 && power % every == 0);
            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9) && (labelled || every == 1))
                ticks.push_back({value, labelled ? axisNumber(value, value, value) : QString()});
        }
    }
    return ticks;
}

} // namespace unroll
