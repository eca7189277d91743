// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace unroll {
namespace {

constexpr double kTailShare = 0.025;

/// A mean of resamples, and how many of them have it.
using WeightedMean = std::pair<double, std::uint64_t>;

std::uint64_t factorial(std::uint64_t number)
{
    return number < 2 ? 1 : number * factorial(number - 1);
}

/// Every multiset of as many values: `counts` of the first ones are chosen, `left` are to be had of those from `index`
/// on. n! / (c1! ... cn!) of the n^n resamples are that multiset.
void collectMeans(std::span<const double> values, std::vector<std::uint64_t>& counts, std::size_t index,
                  std::uint64_t left, std::vector<WeightedMean>& into)
{
    if (index + 1 == values.size()) {
        counts[index] = left;
        double sum = 0;
        std::uint64_t weight = factorial(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            sum += static_cast<double>(counts[i]) * values[i];
            weight /= factorial(counts[i]);
        }
        into.emplace_back(sum / static_cast<double>(values.size()), weight);
        return;
    }
    for (std::uint64_t count = 0; count <= left; ++count) {
        counts[index] = count;
        collectMeans(values, counts, index + 1, left - count, into);
    }
}

/// splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t nextRandom(std::uint64_t& state)
{
    std::uint64_t mixed = state += 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
}

/// Which of so many values each draw takes, draw by draw: made once for each number of them.
const std::vector<std::uint32_t>& drawnPlaces(std::uint64_t count)
{
    thread_local std::map<std::uint64_t, std::vector<std::uint32_t>> made;
    std::vector<std::uint32_t>& places = made[count];
    std::uint64_t state = 1;
    while (places.size() < kBootstrapDraws * count)
        places.push_back(static_cast<std::uint32_t>(((nextRandom(state) >> 32U) * count) >> 32U));
    return places;
}

std::vector<double> drawnMeans(std::span<const double> values)
{
    const std::vector<std::uint32_t>& places = drawnPlaces(values.size());
    std::vector<double> means(kBootstrapDraws);
    auto place = places.begin();
    for (double& mean : means) {
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            sum += values[*place++];
        mean = sum / static_cast<double>(values.size());
    }
    return means;
}

/// Of values in any order, which are put into another.
double quantileIn(std::vector<double>& values, double share)
{
    const double place = share * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::ptrdiff_t>(place);
    const auto at = values.begin() + low;
    std::nth_element(values.begin(), at, values.end());
    const double upper = at + 1 == values.end() ? *at : *std::min_element(at + 1, values.end());
    return *at + (upper - *at) * (place - static_cast<double>(low));
}

/// The value at `place` (from 0) where each mean stands as often as it weighs.
double valueAt(const std::vector<WeightedMean>& ordered, std::uint64_t place)
{
    for (const auto& [mean, weight] : ordered) {
        if (place < weight)
            return mean;
        place -= weight;
    }
    return ordered.back().first;
}

double quantileOf(const std::vector<WeightedMean>& ordered, std::uint64_t total, double share)
{
    const double place = share * static_cast<double>(total - 1);
    const auto low = static_cast<std::uint64_t>(place);
    const double lower = valueAt(ordered, low), upper = valueAt(ordered, std::min(low + 1, total - 1));
    return lower + (upper - lower) * (place - static_cast<double>(low));
}

} // namespace

double meanOf(std::span<const double> values)
{
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

Interval bootstrapInterval(std::span<const double> values)
{
    if (values.size() == 1)
        return {values.front(), values.front()};
    if (values.size() > kExactBootstrap) {
        std::vector<double> drawn = drawnMeans(values);
        const double low = quantileIn(drawn, kTailShare);
        return {low, quantileIn(drawn, 1 - kTailShare)};
    }
    std::vector<WeightedMean> means;
    std::vector<std::uint64_t> counts(values.size());
    collectMeans(values, counts, 0, values.size(), means);
    std::sort(means.begin(), means.end());
    std::uint64_t total = 0;
    for (const auto& [mean, weight] : means)
        total += weight;
    return {quantileOf(means, total, kTailShare), quantileOf(means, total, 1 - kTailShare)};
}

} // namespace unroll
