// SPDX-License-Identifier: GPL-3.0-or-later
// Probes of many features on the same units. The units are turned into their principal axes once, which changes neither
// the least of the objective (its penalty is the same in all directions) nor a weight, and makes the matrix of squares
// X'X diagonal: ridge regression is a division then, and of a logistic regression's second derivatives X'DX + 1 the
// diagonal with D's mean is so near that conjugate gradients take a few steps to solve by them. All features go side by
// side, so that a step of all of them is two products of matrices.
#include "core/lens/tracks/probes.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <tuple>

namespace unroll::lenses::tracks {

namespace {

constexpr double kFlatEnough = 1e-9;    ///< no derivative is greater where a fit ends
constexpr double kRounding = 1e-13;     ///< of a sum over the steps: a step that climbs no more than that descends
constexpr int kMostIterations = 200;    ///< of Newton's method
constexpr int kMostHalvings = 30;       ///< of a step
constexpr int kMostConjugate = 100;     ///< of conjugate gradients within one
constexpr double kBiasCurvature = 1e-6; ///< so that the bias has some where all is told right

at::Tensor places(const at::Tensor& mask)
{
    return mask.nonzero().flatten();
}

} // namespace

/// Features that are still fitted, side by side.
struct ProbeBasis::Fit {
    at::Tensor features;   ///< [k] their columns
    at::Tensor y;          ///< [n, k]
    at::Tensor weights;    ///< [units + 1, k]
    at::Tensor values;     ///< [k] objective
    at::Tensor steepest;   ///< [k] greatest derivative at first; undefined before
    at::Tensor derivative; ///< [units + 1, k] at the weights
    at::Tensor curvature;  ///< [n, k] p (1 - p) there, single precision

    void keep(const at::Tensor& which)
    {
        for (at::Tensor* each : {&features, &values, &steepest})
            *each = each->index_select(0, which);
        for (at::Tensor* each : {&y, &weights, &derivative, &curvature})
            *each = each->index_select(1, which);
    }
};

ProbeBasis::ProbeBasis(const at::Tensor& x) : m_mean(x.mean(0))
{
    const at::Tensor centred = x - m_mean;
    at::Tensor squares;
    std::tie(squares, m_axes) = at::linalg_eigh(at::mm(centred.t(), centred));
    const auto n = static_cast<double>(x.size(0));
    m_x = at::cat({at::mm(centred, m_axes), at::ones({x.size(0), 1}, x.options())}, 1);
    m_small = m_x.to(at::kFloat);
    m_sizes = at::cat({squares.clamp_min(0), at::full({1}, n, x.options())}).unsqueeze(1);
    m_penalty = at::ones_like(m_sizes);
    m_penalty[-1] = 0;
}

/// weights [units + 1, features] along the axes.
std::vector<LinearProbe> ProbeBasis::turnedBack(const at::Tensor& weights) const
{
    const at::Tensor along = at::mm(m_axes, weights.slice(0, 0, -1));
    std::vector<LinearProbe> probes;
    for (std::int64_t k = 0; k < weights.size(1); ++k) {
        const at::Tensor own = along.select(1, k).contiguous();
        probes.push_back({own, weights[-1][k].item<double>() - (m_mean * own).sum().item<double>()});
    }
    return probes;
}

std::vector<LinearProbe> ProbeBasis::ridge(const at::Tensor& y, double penalty) const
{
    return turnedBack(at::mm(m_x.t(), y) / (m_sizes + penalty * m_penalty));
}

/// Solves (X' diag(curvature) X + penalty) s = gradient for each column, to `exactness` [k] of it. In single precision:
/// it says where to go, not where the end is.
at::Tensor ProbeBasis::newtonStep(const at::Tensor& curvature, const at::Tensor& gradient,
                                  const at::Tensor& exactness) const
{
    const at::Tensor sizes = m_sizes.to(at::kFloat), penalty = m_penalty.to(at::kFloat) + kBiasCurvature;
    const at::Tensor nearly = (sizes * curvature.mean(0, true) + penalty).reciprocal();
    at::Tensor step = at::zeros_like(gradient), rest = gradient;
    at::Tensor turned = nearly * rest, direction = turned;
    at::Tensor length = (rest * turned).sum(0);
    const at::Tensor goal = length * exactness.square();
    for (int i = 0; i < kMostConjugate; ++i) {
        const at::Tensor along = at::mm(m_small.t(), curvature * at::mm(m_small, direction)) + penalty * direction;
        const at::Tensor far = length / (direction * along).sum(0).clamp_min(1e-37);
        step = step + far * direction;
        rest = rest - far * along;
        turned = nearly * rest;
        const at::Tensor next = (rest * turned).sum(0);
        if (next.le(goal).all().item<bool>())
            break;
        direction = turned + next / length.clamp_min(1e-37) * direction;
        length = next;
    }
    return step;
}

/// One step of Newton's method; features whose step does not descend, because roundings alone are left, are dropped.
void ProbeBasis::improve(Fit& fit) const
{
    const at::Tensor greatest = fit.derivative.abs().amax(0);
    const at::Tensor exactness = (greatest / fit.steepest).clamp(1e-3, 0.1).to(at::kFloat);
    at::Tensor step = newtonStep(fit.curvature, fit.derivative.to(at::kFloat), exactness).to(at::kDouble);
    at::Tensor next, reached, isWorse;
    for (int halvings = 0; halvings <= kMostHalvings; ++halvings) {
        next = fit.weights - step;
        const at::Tensor logits = at::mm(m_x, next);
        reached = at::binary_cross_entropy_with_logits(logits, fit.y, {}, {}, at::Reduction::None).sum(0) +
                  (m_penalty * next.square()).sum(0) / 2;
        isWorse = reached.le(fit.values * (1 + kRounding)).logical_not();
        if (!isWorse.any().item<bool>())
            break;
        step = at::where(isWorse, step / 2, step);
    }
    fit.weights = at::where(isWorse, fit.weights, next);
    fit.values = at::where(isWorse, fit.values, reached);
    if (isWorse.any().item<bool>())
        fit.steepest = at::where(isWorse, 0, fit.steepest);
}

std::vector<LinearProbe> ProbeBasis::logistic(const at::Tensor& y) const
{
    at::Tensor weights = at::zeros({m_x.size(1), y.size(1)}, y.options());
    Fit fit{places(at::ones({y.size(1)}, at::kBool)), y, weights.clone(), {}, {}, {}, {}};
    fit.values =
        at::full({y.size(1)}, static_cast<double>(y.size(0)) * 0.6931471805599453, y.options()); // of weights 0
    for (int iteration = 0; iteration < kMostIterations && fit.features.size(0) > 0; ++iteration) {
        const at::Tensor p = at::sigmoid(at::mm(m_x, fit.weights));
        fit.derivative = at::mm(m_x.t(), p - fit.y) + m_penalty * fit.weights;
        fit.curvature = (p * (1 - p)).to(at::kFloat);
        const at::Tensor greatest = fit.derivative.abs().amax(0);
        if (!fit.steepest.defined())
            fit.steepest = greatest.clamp_min(1e-300);
        weights.index_copy_(1, fit.features, fit.weights);
        fit.keep(places(greatest.ge(kFlatEnough).logical_and(fit.steepest.gt(0))));
        if (fit.features.size(0) > 0)
            improve(fit);
    }
    weights.index_copy_(1, fit.features, fit.weights);
    return turnedBack(weights);
}

} // namespace unroll::lenses::tracks
