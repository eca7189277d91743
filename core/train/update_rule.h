// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/settings.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace unroll {

/// Weights that have one weight decay and one learning rate, for one fused call; the lists are as long as each other.
struct UpdateGroup {
    std::vector<at::Tensor> weights, gradients;
    std::vector<std::vector<at::Tensor>> slots; ///< as OptimizerSpec::slots, each in the order of the weights
    std::vector<at::Tensor> counts; ///< updates of each, this one included, one float; empty unless the spec counts
    double learningRate = 0;
    double weightDecay = 0;
};

/// core/train/optimizers/<id>/update.cpp: changes weights and slots in place. `notFinite` is a float tensor of one
/// element on the device: 0 = go, 1 = leave everything as it is.
using UpdateRule = void (*)(const TrainSettings& settings, UpdateGroup& group, const at::Tensor& notFinite);

/// Of one of optimizerSpecs() (generated).
UpdateRule updateRule(const std::string& optimizer);

} // namespace unroll
