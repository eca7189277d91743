// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/tracks/probes.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace unroll::lenses::tracks {

namespace {

constexpr std::int64_t kFewestOfAHalf = 32;    ///< steps of each half
constexpr std::int64_t kFeaturesOfAThread = 4; ///< at least: they share their products

/// Steps at which a feature is known, in two halves, and the units there, standardised by the first.
struct Halves {
    at::Tensor first, second; ///< [steps, units]
    std::vector<std::int64_t> steps;
    std::int64_t middle = 0;
};

Halves halvesOf(const at::Tensor& units, const std::vector<std::int64_t>& steps)
{
    Halves halves{{}, {}, steps, std::ssize(steps) / 2};
    at::Tensor places = at::empty({std::ssize(steps)}, at::kLong);
    std::copy(steps.begin(), steps.end(), places.mutable_data_ptr<std::int64_t>());
    const at::Tensor all = units.index_select(1, places);
    const at::Tensor first = all.slice(1, 0, halves.middle);
    const at::Tensor mean = first.mean(1, true);
    const at::Tensor deviation = (first - mean).square().mean(1, true).sqrt();
    const at::Tensor varies = deviation.gt(mean.abs() * 1e-12 + 1e-30);
    const at::Tensor scaled = ((all - mean) / deviation.masked_fill(varies.logical_not(), 1)) * varies;
    halves.first = scaled.slice(1, 0, halves.middle).t().contiguous();
    halves.second = scaled.slice(1, halves.middle).t().contiguous();
    return halves;
}

at::Tensor targetsOf(const Feature& feature, const std::vector<std::int64_t>& steps)
{
    at::Tensor targets = at::empty({std::ssize(steps)}, at::kDouble);
    for (std::size_t i = 0; i < steps.size(); ++i)
        targets.mutable_data_ptr<double>()[i] = static_cast<double>(feature.values[static_cast<std::size_t>(steps[i])]);
    return targets;
}

/// Of features that are known at the same steps: their places in the list, and what they are in both halves, [n,
/// features].
struct Told {
    std::vector<std::size_t> features;
    at::Tensor first, second;
};

/// Those of one kind that vary in both halves.
Told toldOf(const Halves& halves, const std::vector<Feature>& features, const std::vector<std::size_t>& group,
            bool binary)
{
    Told told;
    std::vector<at::Tensor> first, second;
    const auto varies = [](const at::Tensor& values) { return (values != values[0]).any().item<bool>(); };
    for (const std::size_t f : group) {
        if (features[f].binary() != binary)
            continue;
        const at::Tensor targets = targetsOf(features[f], halves.steps);
        const at::Tensor begins = targets.slice(0, 0, halves.middle), ends = targets.slice(0, halves.middle);
        if (!varies(begins) || !varies(ends))
            continue;
        told.features.push_back(f);
        first.push_back(begins);
        second.push_back(ends);
    }
    if (!first.empty()) {
        told.first = at::stack(first, 1);
        told.second = at::stack(second, 1);
    }
    return told;
}

ProbeScore scoreOf(const at::Tensor& said, const at::Tensor& first, const at::Tensor& second, bool binary)
{
    if (!binary) {
        const double errors = (said - second).square().sum().item<double>();
        return ProbeScore{1 - errors / (second - second.mean()).square().sum().item<double>(), 0};
    }
    const double right = said.gt(0).eq(second.gt(0.5)).to(at::kDouble).mean().item<double>();
    const double on = second.mean().item<double>();
    return ProbeScore{right, first.mean().item<double>() > 0.5 ? on : 1 - on};
}

} // namespace

std::vector<std::optional<ProbeScore>> probeScores(const at::Tensor& units, const std::vector<Feature>& features,
                                                   const std::stop_token& end)
{
    std::map<std::vector<std::int64_t>, std::vector<std::size_t>> groups; // features that are known at the same steps
    for (std::size_t f = 0; f < features.size(); ++f) {
        std::vector<std::int64_t> steps;
        for (std::size_t i = 0; i < features[f].values.size(); ++i)
            if (std::isfinite(features[f].values[i]))
                steps.push_back(static_cast<std::int64_t>(i));
        if (std::ssize(steps) >= 2 * kFewestOfAHalf)
            groups[std::move(steps)].push_back(f);
    }
    std::vector<std::optional<ProbeScore>> scores(features.size());
    for (const auto& [steps, group] : groups) {
        const Halves halves = halvesOf(units, steps);
        const ProbeBasis basis(halves.first);
        for (const bool binary : {true, false}) {
            const Told told = toldOf(halves, features, group, binary);
            if (told.features.empty() || end.stop_requested())
                continue;
            // Always the same ones together: rows that are near enough go on beside others.
            const std::int64_t count = std::ssize(told.features);
            const auto fit = [&](std::int64_t from) {
                const std::int64_t to = std::min(from + kFeaturesOfAThread, count);
                const at::Tensor some = told.first.slice(1, from, to);
                const auto probes = binary ? basis.logistic(some) : basis.ridge(some);
                for (std::int64_t k = from; k < to; ++k) {
                    const LinearProbe& probe = probes[static_cast<std::size_t>(k - from)];
                    scores[told.features[static_cast<std::size_t>(k)]] =
                        scoreOf(at::mv(halves.second, probe.weights) + probe.bias, told.first.select(1, k),
                                told.second.select(1, k), binary);
                }
            };
            const std::int64_t parts = (count + kFeaturesOfAThread - 1) / kFeaturesOfAThread;
            at::parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
                for (std::int64_t part = first; part < last; ++part)
                    fit(part * kFeaturesOfAThread);
            });
        }
    }
    return scores;
}

} // namespace unroll::lenses::tracks
