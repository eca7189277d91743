// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/update_rule.h"

#include <ATen/ops/_fused_adam.h>

namespace unroll::optimizers::adam {

void update(const TrainSettings& settings, UpdateGroup& group, const at::Tensor& notFinite)
{
    at::_fused_adam_(group.weights, group.gradients, group.slots[0], group.slots[1], {}, group.counts,
                     group.learningRate, optimizerSetting(settings, "beta1"), optimizerSetting(settings, "beta2"),
                     group.weightDecay, optimizerSetting(settings, "epsilon"), false, false, {}, notFinite);
}

} // namespace unroll::optimizers::adam
