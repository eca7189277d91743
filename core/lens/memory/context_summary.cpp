// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/memory/context_loss.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace unroll::lenses::memory {

namespace {

constexpr std::size_t kResamples = 2000;
constexpr double kRest = 0.05; ///< of the fall that may be left where a context is enough

using Losses = std::vector<std::vector<double>>;

/// Mean of each context over these targets.
std::vector<double> means(const Losses& losses, const std::vector<std::size_t>& targets)
{
    std::vector<double> found;
    for (const std::vector<double>& each : losses) {
        double sum = 0;
        for (const std::size_t target : targets)
            sum += each[target];
        found.push_back(sum / static_cast<double>(targets.size()));
    }
    return found;
}

/// The smallest context from which on all are near the longest.
double enough(const std::vector<std::int64_t>& contexts, const std::vector<double>& mean)
{
    const double last = mean.back(), most = last + kRest * std::max(0.0, mean.front() - last);
    std::size_t first = mean.size() - 1;
    while (first > 0 && mean[first - 1] <= most)
        --first;
    return static_cast<double>(contexts[first]);
}

Ranged ranged(double value, std::vector<double> draws)
{
    std::sort(draws.begin(), draws.end());
    const auto at = [&](double share) {
        return draws[static_cast<std::size_t>(share * static_cast<double>(draws.size() - 1) + 0.5)];
    };
    return {value, at(0.025), at(0.975)};
}

} // namespace

ContextLoss summarise(const std::vector<std::int64_t>& contexts, const Losses& losses)
{
    const std::size_t targets = losses.front().size();
    std::vector<std::size_t> all(targets), drawn(targets);
    for (std::size_t i = 0; i < targets; ++i)
        all[i] = i;
    std::mt19937_64 random(20190325);
    Losses draws(contexts.size());
    std::vector<double> falls, enoughs;
    for (std::size_t i = 0; i < kResamples; ++i) {
        for (std::size_t& target : drawn)
            target = static_cast<std::size_t>(random() % targets);
        const std::vector<double> mean = means(losses, drawn);
        for (std::size_t c = 0; c < mean.size(); ++c)
            draws[c].push_back(mean[c]);
        falls.push_back(mean.front() - mean.back());
        enoughs.push_back(enough(contexts, mean));
    }
    const std::vector<double> mean = means(losses, all);
    ContextLoss curve{.context = contexts, .loss = {}, .targets = static_cast<std::int64_t>(targets)};
    for (std::size_t c = 0; c < mean.size(); ++c)
        curve.loss.push_back(ranged(mean[c], std::move(draws[c])));
    curve.fall = ranged(mean.front() - mean.back(), std::move(falls));
    curve.enough = ranged(enough(contexts, mean), std::move(enoughs));
    return curve;
}

} // namespace unroll::lenses::memory
