// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/update_rule.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/where.h>

namespace unroll::optimizers::radam {

namespace {

constexpr double kTractable = 5; // of the length ρ: above it the variance of 1/√v is finite enough

struct Moments {
    double beta1, beta2, epsilon;
};

/// Factors of an update that its number decides, scalars in double.
struct Corrections {
    at::Tensor first;     // 1 / (1 - β1^t)
    at::Tensor rectified; // r √(1 - β2^t)
    at::Tensor tractable; // whether these hold; else the step is that of the first moment alone
};

Corrections correctionsOf(const at::Tensor& count, const Moments& all)
{
    const at::Tensor t = count.to(at::kDouble);
    const at::Tensor left1 = 1 - at::pow(all.beta1, t), left2 = 1 - at::pow(all.beta2, t);
    const double most = 2 / (1 - all.beta2) - 1;
    const at::Tensor length = most - 2 * t * (1 - left2) / left2;
    const at::Tensor square = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length);
    return {1 / left1, at::sqrt(square.clamp_min(0) * left2), length.gt(kTractable)};
}

} // namespace

/// Liu et al. 2019, arXiv:1908.03265, algorithm 2, with the decay of the authors' code, w -= rate decay w.
void update(const TrainSettings& settings, UpdateGroup& group, const at::Tensor& notFinite)
{
    const Moments all{optimizerSetting(settings, "beta1"), optimizerSetting(settings, "beta2"),
                      optimizerSetting(settings, "epsilon")};
    const at::Tensor skip = notFinite.gt(0);
    for (std::size_t i = 0; i < group.weights.size(); ++i) {
        at::Tensor &weight = group.weights[i], &first = group.slots[0][i], &second = group.slots[1][i];
        const at::Tensor& gradient = group.gradients[i];
        const at::Tensor mean = first + (gradient - first) * (1 - all.beta1);
        const at::Tensor square = second * all.beta2 + gradient * gradient * (1 - all.beta2);
        const Corrections by = correctionsOf(group.counts[i], all);
        const at::Tensor adaptive = at::where(by.tractable, by.rectified / (at::sqrt(square) + all.epsilon), 1.0);
        const at::Tensor next =
            weight * (1 - group.learningRate * group.weightDecay) - mean * by.first * adaptive * group.learningRate;
        weight.copy_(at::where(skip, weight, next));
        first.copy_(at::where(skip, first, mean));
        second.copy_(at::where(skip, second, square));
    }
}

} // namespace unroll::optimizers::radam
