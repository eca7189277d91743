// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/regularisation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/where.h>

namespace unroll {

Penalty penaltyOf(const at::Tensor& weight, const WeightRule& rule)
{
    const at::Tensor w = weight.detach();
    return {w.abs().sum() * rule.l1 + w.square().sum() * rule.l2, w.sign() * rule.l1 + w * (2 * rule.l2)};
}

at::Tensor constrained(const at::Tensor& weight, const WeightConstraint& constraint)
{
    const at::Tensor w = weight.detach();
    const auto norm = [&] { return at::linalg_vector_norm(w, 2, {-1}, true); };
    switch (constraint.kind) {
    case WeightConstraint::Kind::MaxNorm: return w * (constraint.largest / norm()).clamp_max(1); // 1 for a row of zeros
    case WeightConstraint::Kind::NonNegative: return w.clamp_min(0);
    case WeightConstraint::Kind::UnitNorm: {
        const at::Tensor length = norm();
        return w / at::where(length > 0, length, 1);
    }
    case WeightConstraint::Kind::None: break;
    }
    return w;
}

} // namespace unroll
