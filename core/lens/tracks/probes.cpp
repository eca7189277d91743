// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/tracks/probes.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cholesky_solve.h>
#include <ATen/ops/diag.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_cholesky_ex.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace unroll::lenses::tracks {

namespace {

constexpr std::int64_t fewestOfAHalf = 32; ///< steps of each half

/// Solves A x = b, A symmetric and positive definite; as A + a little where roundings have made it another.
at::Tensor solved(const at::Tensor& a, const at::Tensor& b)
{
    auto [factor, failed] = at::linalg_cholesky_ex(a);
    if (failed.item<std::int64_t>() != 0) {
        const at::Tensor more = at::eye(a.size(0), a.options()) * (a.diagonal().mean().item<double>() * 1e-5);
        std::tie(factor, failed) = at::linalg_cholesky_ex(a + more);
    }
    return at::cholesky_solve(b.unsqueeze(1), factor).squeeze(1);
}

/// The logistic objective in weights and bias together, [units + 1].
class Logistic {
public:
    Logistic(const at::Tensor& x, const at::Tensor& y)
        : m_x(at::cat({x, at::ones({x.size(0), 1}, x.options())}, 1)),
          m_small(m_x.to(at::kFloat)),
          m_y(y),
          m_penalty(at::ones({m_x.size(1)}, x.options()))
    {
        m_penalty[-1] = 0;
    }

    std::int64_t unknowns() const { return m_x.size(1); }

    double value(const at::Tensor& weights) const
    {
        const at::Tensor logits = at::mv(m_x, weights);
        return (at::binary_cross_entropy_with_logits(logits, m_y, {}, {}, at::Reduction::Sum) +
                (m_penalty * weights * weights).sum() / 2)
            .item<double>();
    }

    at::Tensor gradient(const at::Tensor& weights) const
    {
        return at::mv(m_x.t(), at::sigmoid(at::mv(m_x, weights)) - m_y) + m_penalty * weights;
    }

    /// In single precision: it says where to go, not where the end is.
    at::Tensor step(const at::Tensor& weights, const at::Tensor& gradient) const
    {
        const at::Tensor p = at::sigmoid(at::mv(m_x, weights));
        const at::Tensor scaled = m_small * (p * (1 - p)).sqrt().to(at::kFloat).unsqueeze(1);
        const at::Tensor hessian = at::mm(scaled.t(), scaled) + at::diag(m_penalty + 1e-6).to(at::kFloat);
        return solved(hessian, gradient.to(at::kFloat)).to(at::kDouble);
    }

private:
    at::Tensor m_x, m_small, m_y, m_penalty;
};

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

std::optional<ProbeScore> scoreOf(const Halves& halves, const Feature& feature)
{
    const at::Tensor targets = targetsOf(feature, halves.steps);
    const at::Tensor first = targets.slice(0, 0, halves.middle), second = targets.slice(0, halves.middle);
    const auto varies = [](const at::Tensor& values) { return (values != values[0]).any().item<bool>(); };
    if (!varies(first) || !varies(second))
        return std::nullopt;
    const LinearProbe probe = feature.binary() ? logisticProbe(halves.first, first) : ridgeProbe(halves.first, first);
    const at::Tensor told = at::mv(halves.second, probe.weights) + probe.bias;
    if (!feature.binary()) {
        const double errors = (told - second).square().sum().item<double>();
        return ProbeScore{1 - errors / (second - second.mean()).square().sum().item<double>(), 0};
    }
    const double right = told.gt(0).eq(second.gt(0.5)).to(at::kDouble).mean().item<double>();
    const double on = second.mean().item<double>();
    return ProbeScore{right, first.mean().item<double>() > 0.5 ? on : 1 - on};
}

} // namespace

LinearProbe ridgeProbe(const at::Tensor& x, const at::Tensor& y, double penalty)
{
    const at::Tensor mean = x.mean(0);
    const at::Tensor centred = x - mean;
    const double level = y.mean().item<double>();
    const at::Tensor a = at::mm(centred.t(), centred) + at::eye(x.size(1), x.options()) * penalty;
    LinearProbe probe{solved(a, at::mv(centred.t(), y - level)), 0};
    probe.bias = level - (mean * probe.weights).sum().item<double>();
    return probe;
}

LinearProbe logisticProbe(const at::Tensor& x, const at::Tensor& y)
{
    const Logistic logistic(x, y);
    at::Tensor weights = at::zeros({logistic.unknowns()}, x.options());
    double value = logistic.value(weights);
    for (int iteration = 0; iteration < 100; ++iteration) {
        const at::Tensor gradient = logistic.gradient(weights);
        if (gradient.abs().max().item<double>() < 1e-7)
            break;
        at::Tensor step = logistic.step(weights, gradient);
        at::Tensor next = weights - step;
        double reached = logistic.value(next);
        for (int halvings = 0; reached > value && halvings < 30; ++halvings) {
            step = step / 2;
            next = weights - step;
            reached = logistic.value(next);
        }
        if (reached > value)
            break; // roundings alone are left
        weights = next;
        value = reached;
    }
    return {weights.slice(0, 0, -1), weights[-1].item<double>()};
}

std::vector<std::optional<ProbeScore>> probeScores(const at::Tensor& units, const std::vector<Feature>& features,
                                                   const std::stop_token& end)
{
    std::map<std::vector<std::int64_t>, Halves> halves; // features that are known at the same steps share them
    std::vector<std::optional<ProbeScore>> scores;
    for (const Feature& feature : features) {
        std::vector<std::int64_t> steps;
        for (std::size_t i = 0; i < feature.values.size(); ++i)
            if (std::isfinite(feature.values[i]))
                steps.push_back(static_cast<std::int64_t>(i));
        scores.emplace_back();
        if (std::ssize(steps) < 2 * fewestOfAHalf || end.stop_requested())
            continue;
        auto found = halves.find(steps);
        if (found == halves.end())
            found = halves.emplace(steps, halvesOf(units, steps)).first;
        scores.back() = scoreOf(found->second, feature);
    }
    return scores;
}

} // namespace unroll::lenses::tracks
