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

/// Features that are still fitted, a row each: products with few rows are several times as fast as those with few
/// columns.
struct ProbeBasis::Fit {
    at::Tensor features;   ///< [k] their columns of y
    at::Tensor y;          ///< [k, n]
    at::Tensor weights;    ///< [k, units + 1]
    at::Tensor logits;     ///< [k, n] at the weights
    at::Tensor values;     ///< [k] objective
    at::Tensor steepest;   ///< [k] greatest derivative at first; undefined before
    at::Tensor derivative; ///< [k, units + 1] at the weights
    at::Tensor curvature;  ///< [k, n] p (1 - p) there, single precision

    void keep(const at::Tensor& which)
    {
        if (which.size(0) == features.size(0))
            return;
        for (at::Tensor* each : {&features, &y, &weights, &logits, &values, &steepest, &derivative, &curvature})
            *each = each->index_select(0, which);
    }
};

/// Equations that are still solved by conjugate gradients, a row each.
struct ProbeBasis::Solving {
    at::Tensor places;                        ///< [k] rows of the whole
    at::Tensor step, rest, direction, nearly; ///< [k, units + 1]
    at::Tensor length, goal;                  ///< [k]
    at::Tensor curvature;                     ///< [k, n]

    void keep(const at::Tensor& which)
    {
        for (at::Tensor* each : {&places, &step, &rest, &direction, &nearly, &length, &goal, &curvature})
            *each = each->index_select(0, which);
    }
};

ProbeBasis::ProbeBasis(const at::Tensor& x) : m_mean(x.mean(0))
{
    const at::Tensor centred = x - m_mean;
    at::Tensor squares;
    std::tie(squares, m_axes) = at::linalg_eigh(at::mm(centred.t(), centred));
    const auto n = static_cast<double>(x.size(0));
    m_x = at::cat({at::mm(centred, m_axes), at::ones({x.size(0), 1}, x.options())}, 1);
    m_turned = m_x.t().contiguous();
    m_small = m_x.to(at::kFloat);
    m_smallTurned = m_small.t().contiguous();
    m_sizes = at::cat({squares.clamp_min(0), at::full({1}, n, x.options())}).unsqueeze(0);
    m_penalty = at::ones_like(m_sizes);
    m_penalty[0][-1] = 0;
}

/// weights [features, units + 1] along the axes.
std::vector<LinearProbe> ProbeBasis::turnedBack(const at::Tensor& weights) const
{
    const at::Tensor along = at::mm(weights.slice(1, 0, -1), m_axes.t());
    std::vector<LinearProbe> probes;
    for (std::int64_t k = 0; k < weights.size(0); ++k) {
        const at::Tensor own = along[k].contiguous();
        probes.push_back({own, weights[k][-1].item<double>() - (m_mean * own).sum().item<double>()});
    }
    return probes;
}

std::vector<LinearProbe> ProbeBasis::ridge(const at::Tensor& y, double penalty) const
{
    return turnedBack(at::mm(y.t(), m_x) / (m_sizes + penalty * m_penalty));
}

/// Solves (X' diag(curvature) X + penalty) s = gradient for each row, to `exactness` [k] of it. In single precision:
/// it says where to go, not where the end is. Rows that are near enough go no further.
at::Tensor ProbeBasis::newtonStep(const at::Tensor& curvature, const at::Tensor& gradient,
                                  const at::Tensor& exactness) const
{
    const at::Tensor sizes = m_sizes.to(at::kFloat), penalty = m_penalty.to(at::kFloat) + kBiasCurvature;
    at::Tensor steps = at::zeros_like(gradient);
    const at::Tensor nearly = (sizes * curvature.mean(1, true) + penalty).reciprocal(), first = nearly * gradient;
    const at::Tensor length = (gradient * first).sum(1);
    Solving now{places(at::ones({gradient.size(0)}, at::kBool)),
                steps.clone(),
                gradient,
                first,
                nearly,
                length,
                length * exactness.square(),
                curvature};
    for (int i = 0; i < kMostConjugate; ++i) {
        const at::Tensor along =
            at::mm(now.curvature * at::mm(now.direction, m_smallTurned), m_small) + penalty * now.direction;
        const at::Tensor far = (now.length / (now.direction * along).sum(1).clamp_min(1e-37)).unsqueeze(1);
        now.step = now.step + far * now.direction;
        now.rest = now.rest - far * along;
        const at::Tensor turned = now.nearly * now.rest, next = (now.rest * turned).sum(1);
        now.direction = turned + (next / now.length.clamp_min(1e-37)).unsqueeze(1) * now.direction;
        now.length = next;
        const at::Tensor open = places(next.le(now.goal).logical_not());
        if (open.size(0) == 0)
            break;
        if (4 * open.size(0) <= 3 * next.size(0)) {
            steps.index_copy_(0, now.places, now.step);
            now.keep(open);
        }
    }
    return steps.index_copy_(0, now.places, now.step);
}

/// One step of Newton's method; features whose step does not descend, because roundings alone are left, are dropped.
void ProbeBasis::improve(Fit& fit) const
{
    const at::Tensor greatest = fit.derivative.abs().amax(1);
    const at::Tensor exactness = (greatest / fit.steepest).clamp(1e-3, 0.1).to(at::kFloat);
    at::Tensor step = newtonStep(fit.curvature, fit.derivative.to(at::kFloat), exactness).to(at::kDouble);
    at::Tensor next, logits, reached, isWorse;
    for (int halvings = 0; halvings <= kMostHalvings; ++halvings) {
        next = fit.weights - step;
        logits = at::mm(next, m_turned);
        reached = at::binary_cross_entropy_with_logits(logits, fit.y, {}, {}, at::Reduction::None).sum(1) +
                  (m_penalty * next.square()).sum(1) / 2;
        isWorse = reached.le(fit.values * (1 + kRounding)).logical_not();
        if (!isWorse.any().item<bool>())
            break;
        step = at::where(isWorse.unsqueeze(1), step / 2, step);
    }
    fit.weights = at::where(isWorse.unsqueeze(1), fit.weights, next);
    fit.logits = at::where(isWorse.unsqueeze(1), fit.logits, logits);
    fit.values = at::where(isWorse, fit.values, reached);
    if (isWorse.any().item<bool>())
        fit.steepest = at::where(isWorse, 0, fit.steepest);
}

std::vector<LinearProbe> ProbeBasis::logistic(const at::Tensor& y) const
{
    const std::int64_t features = y.size(1);
    at::Tensor weights = at::zeros({features, m_x.size(1)}, y.options());
    Fit fit{.features = places(at::ones({features}, at::kBool)),
            .y = y.t().contiguous(),
            .weights = weights.clone(),
            .logits = at::zeros({features, y.size(0)}, y.options()),
            .values = at::full({features}, static_cast<double>(y.size(0)) * 0.6931471805599453, y.options()),
            .steepest = {},
            .derivative = {},
            .curvature = {}};
    for (int iteration = 0; iteration < kMostIterations && fit.features.size(0) > 0; ++iteration) {
        const at::Tensor p = at::sigmoid(fit.logits);
        fit.derivative = at::mm(p - fit.y, m_x) + m_penalty * fit.weights;
        fit.curvature = (p * (1 - p)).to(at::kFloat);
        const at::Tensor greatest = fit.derivative.abs().amax(1);
        if (!fit.steepest.defined())
            fit.steepest = greatest.clamp_min(1e-300);
        weights.index_copy_(0, fit.features, fit.weights);
        fit.keep(places(greatest.ge(kFlatEnough).logical_and(fit.steepest.gt(0))));
        if (fit.features.size(0) > 0)
            improve(fit);
    }
    weights.index_copy_(0, fit.features, fit.weights);
    return turnedBack(weights);
}

} // namespace unroll::lenses::tracks
