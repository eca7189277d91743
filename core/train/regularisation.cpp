// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/regularisation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <vector>

namespace unroll {

namespace {

constexpr std::int64_t kCosinesTogether = 1 << 22;
constexpr double kShortest = 1e-7; ///< what is shorter counts for its share, down to 0 for zeros; Keras's epsilon

/// The mean |cos| between two of the vectors [count, size]: sum over i < j of |u_i u_j| / pairs, u = w / |w|.
Penalty meanCosine(const at::Tensor& vectors)
{
    const std::int64_t count = vectors.size(0);
    at::Tensor sum = at::zeros({}, vectors.options());
    if (count < 2)
        return {sum, at::zeros_like(vectors)};
    const at::Tensor norm = at::linalg_vector_norm(vectors, 2, {1}, true), length = norm.clamp_min(kShortest);
    const at::Tensor unit = vectors / length;
    const std::int64_t together = std::max<std::int64_t>(1, kCosinesTogether / count);
    std::vector<at::Tensor> pulls; // sums over j of sign(u_i u_j) u_j
    for (std::int64_t from = 0; from < count; from += together) {
        const at::Tensor some = unit.narrow(0, from, std::min(together, count - from));
        at::Tensor cosines = at::matmul(some, unit.t());
        cosines.diagonal(from).zero_(); // of each with itself
        sum += cosines.abs().sum();
        pulls.push_back(at::matmul(cosines.sign(), unit));
    }
    const at::Tensor pull = at::cat(pulls);
    const at::Tensor along = at::where(norm > kShortest, (pull * unit).sum(1, true), 0);
    const double pairs = static_cast<double>(count) * static_cast<double>(count - 1) / 2;
    return {sum / (2 * pairs), (pull - along * unit) / (length * pairs)};
}

} // namespace

Penalty penaltyOf(const at::Tensor& weight, const WeightRule& rule)
{
    const at::Tensor w = weight.detach();
    Penalty penalty{w.abs().sum() * rule.l1 + w.square().sum() * rule.l2, w.sign() * rule.l1 + w * (2 * rule.l2)};
    if (rule.orthogonal != 0 && w.dim() >= 2) {
        const at::Tensor rows = w.flatten(1);
        const Penalty cosine = meanCosine(rule.orthogonalColumns ? rows.t() : rows);
        const at::Tensor gradient = rule.orthogonalColumns ? cosine.gradient.t() : cosine.gradient;
        penalty.value = penalty.value + cosine.value * rule.orthogonal;
        penalty.gradient = penalty.gradient + gradient.reshape(w.sizes()) * rule.orthogonal;
    }
    return penalty;
}

at::Tensor constrained(const at::Tensor& weight, const WeightConstraint& constraint)
{
    const at::Tensor w = weight.detach();
    const std::int64_t over = constraint.columns && w.dim() >= 2 ? 0 : -1;
    const auto norm = [&] { return at::linalg_vector_norm(w, 2, {over}, true); };
    switch (constraint.kind) {
    case WeightConstraint::Kind::MaxNorm: return w * (constraint.largest / norm()).clamp_max(1); // 1 for a row of zeros
    case WeightConstraint::Kind::NonNegative: return w.clamp_min(0);
    case WeightConstraint::Kind::UnitNorm: {
        const at::Tensor length = norm();
        return w / at::where(length > 0, length, 1);
    }
    case WeightConstraint::Kind::MinMaxNorm: {
        const at::Tensor length = norm(), nearest = length.clamp(constraint.smallest, constraint.largest);
        const at::Tensor factor = at::where(length > 0, nearest / length, 1);
        return w * ((factor - 1) * constraint.rate + 1); // exactly 1 within the bounds
    }
    case WeightConstraint::Kind::None: break;
    }
    return w;
}

} // namespace unroll
