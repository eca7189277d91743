// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/weight.h"

#include <ATen/core/Tensor.h>

namespace unroll {

/// What a weight adds to the loss in training.
struct Penalty {
    at::Tensor value;    ///< a scalar
    at::Tensor gradient; ///< of the weight's shape
};
/// l1 sum |w| + l2 sum w^2 + orthogonal times the mean |cos| of two rows (WeightRule), as Keras's L1L2 and
/// OrthogonalRegularizer, whose kernels are transposed: its mode "columns" is that of our rows.
Penalty penaltyOf(const at::Tensor& weight, const WeightRule& rule);

/// The weight nearest to where its constraint lets it be, a new tensor; see WeightConstraint.
at::Tensor constrained(const at::Tensor& weight, const WeightConstraint& constraint);

} // namespace unroll
