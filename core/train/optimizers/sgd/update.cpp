// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/update_rule.h"

#include <ATen/ops/_fused_sgd.h>

namespace unroll::optimizers::sgd {

/// The buffers start at zero, so the first step needs no case of its own: momentum * 0 + gradient. Without momentum
/// there are none.
void update(const TrainSettings& settings, UpdateGroup& group, const at::Tensor& notFinite)
{
    const double momentum = optimizerSetting(settings, "momentum");
    const std::vector<at::Tensor> buffers = momentum > 0 ? group.slots[0] : std::vector<at::Tensor>();
    at::_fused_sgd_(group.weights, group.gradients, buffers, group.weightDecay, momentum, group.learningRate, 0.0,
                    false, false, false, {}, notFinite);
}

} // namespace unroll::optimizers::sgd
