// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/weight.h"

#include <ATen/core/Tensor.h>

namespace unroll {

/// What a weight adds to the loss in training.
struct Penalty {
    at::Tensor value;    ///< l1 sum |w| + l2 sum w^2, a scalar
    at::Tensor gradient; ///< l1 sign(w) + 2 l2 w
};
Penalty penaltyOf(const at::Tensor& weight, const WeightRule& rule);

/// The weight nearest to where its constraint lets it be, a new tensor; see WeightConstraint.
at::Tensor constrained(const at::Tensor& weight, const WeightConstraint& constraint);

} // namespace unroll
