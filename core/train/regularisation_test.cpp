// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/regularisation.h"

#include "core/train/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace unroll {

namespace {

using Kind = WeightConstraint::Kind;

double largestDifference(const at::Tensor& got, const at::Tensor& want)
{
    return got.detach().sub(want.detach()).abs().max().item<double>();
}

Weight ruled(at::Tensor values, WeightRule rule)
{
    return {"w", values.set_requires_grad(true), std::move(rule), true};
}

} // namespace

TEST(Penalty, OfKnownNumbers)
{
    const Penalty penalty = penaltyOf(at::tensor({1.0, -2.0, 0.0}, at::kDouble), {.l1 = 0.1, .l2 = 0.01});
    EXPECT_NEAR(penalty.value.item<double>(), 0.1 * 3 + 0.01 * 5, 1e-15);
    EXPECT_LT(largestDifference(penalty.gradient, at::tensor({0.12, -0.14, 0.0}, at::kDouble)), 1e-15);
}

TEST(Penalty, GradientIsTheSlopeOfItsValue)
{
    const WeightRule rule{.l1 = 0.3, .l2 = 0.7};
    const at::Tensor w = at::randn({3, 4}, at::kDouble);
    const at::Tensor gradient = penaltyOf(w, rule).gradient;
    for (std::int64_t i = 0; i < w.numel(); ++i) {
        at::Tensor above = w.clone(), below = w.clone();
        above.view(-1)[i].add_(1e-6);
        below.view(-1)[i].sub_(1e-6);
        const double slope = penaltyOf(above, rule).value.sub(penaltyOf(below, rule).value).item<double>() / 2e-6;
        EXPECT_NEAR(gradient.view(-1)[i].item<double>(), slope, 1e-8);
    }
}

TEST(Penalty, OrthogonalIsTheMeanCosineOfTwoRows)
{
    const at::Tensor w = at::tensor({3.0, 4.0, -2.0, 0.0, 0.0, 0.5}, at::kDouble).view({3, 2}); // cosines -0.6, 0.8, 0
    EXPECT_NEAR(penaltyOf(w, {.orthogonal = 0.3}).value.item<double>(), 0.3 * (0.6 + 0.8) / 3, 1e-15);
    const WeightRule columns{.orthogonal = 0.3, .orthogonalColumns = true};
    const double cosine = 12 / std::sqrt(13 * 16.25); // of (3, -2, 0) and (4, 0, 0.5), the only two
    EXPECT_NEAR(penaltyOf(w, columns).value.item<double>(), 0.3 * cosine, 1e-15);
    const Penalty ofColumns = penaltyOf(w, columns), ofRows = penaltyOf(w.t(), {.orthogonal = 0.3});
    EXPECT_EQ(ofColumns.value.item<double>(), ofRows.value.item<double>());
    EXPECT_TRUE(ofColumns.gradient.equal(ofRows.gradient.t()));
}

TEST(Penalty, OrthogonalGradientIsTheSlope)
{
    for (const bool columns : {false, true})
        for (const std::vector<std::int64_t>& sizes :
             std::vector<std::vector<std::int64_t>>{{4, 3}, {2, 5}, {3, 2, 2}, {1, 4}, {5, 1}}) {
            const WeightRule rule{.l2 = 0.1, .orthogonal = 0.7, .orthogonalColumns = columns};
            const at::Tensor w = at::randn(sizes, at::kDouble);
            const Penalty penalty = penaltyOf(w, rule);
            ASSERT_EQ(penalty.gradient.sizes(), w.sizes());
            for (std::int64_t i = 0; i < w.numel(); ++i) {
                at::Tensor above = w.clone(), below = w.clone();
                above.view(-1)[i].add_(1e-6);
                below.view(-1)[i].sub_(1e-6);
                const at::Tensor rise = penaltyOf(above, rule).value.sub(penaltyOf(below, rule).value);
                EXPECT_NEAR(penalty.gradient.reshape(-1)[i].item<double>(), rise.item<double>() / 2e-6, 1e-7)
                    << w.sizes() << " " << columns;
            }
        }
}

/// As many that their cosines are made in pieces, and rows of zeros, which are orthogonal to all.
TEST(Penalty, OrthogonalOfManyRows)
{
    at::Tensor w = at::randn({3000, 4}, at::kDouble);
    w[7].zero_();
    const Penalty penalty = penaltyOf(w, {.orthogonal = 1});
    const at::Tensor leaf = w.clone().requires_grad_(true);
    const at::Tensor unit = leaf / at::linalg_vector_norm(leaf, 2, {1}, true).clamp_min(1e-7);
    const at::Tensor cosines = at::matmul(unit, unit.t());
    const at::Tensor mean = (cosines.abs().sum() - cosines.diagonal().abs().sum()) / (3000.0 * 2999.0);
    mean.backward();
    EXPECT_NEAR(penalty.value.item<double>(), mean.item<double>(), 1e-12);
    at::Tensor rest = leaf.grad().clone();
    rest[7].zero_(); // what autograd makes of a norm of 0
    EXPECT_LT(largestDifference(penalty.gradient, rest), 1e-12);
    EXPECT_EQ(penaltyOf(w.narrow(0, 0, 1), {.orthogonal = 1}).value.item<double>(), 0) << "one alone";
    EXPECT_EQ(penaltyOf(w.select(1, 0), {.orthogonal = 1}).value.item<double>(), 0) << "a vector has no rows";
}

TEST(Constraint, MinMaxNormMovesNormsIntoItsBounds)
{
    const at::Tensor w = at::tensor({3.0, 4.0, 0.6, 0.8, 0.03, 0.04, 0.0, 0.0}, at::kDouble).view({4, 2});
    const at::Tensor held = constrained(w, {Kind::MinMaxNorm, 2, 0.5});
    const at::Tensor want = at::tensor({1.2, 1.6, 0.6, 0.8, 0.3, 0.4, 0.0, 0.0}, at::kDouble).view({4, 2});
    EXPECT_LT(largestDifference(held, want), 1e-15);
    EXPECT_TRUE(held[1].equal(w[1])) << "a row within them keeps its bits";
    const at::Tensor half = constrained(w, {Kind::MinMaxNorm, 2, 0.5, 0.5});
    EXPECT_LT(largestDifference(half, (w + want) / 2), 1e-15);
    EXPECT_TRUE(half[1].equal(w[1]));
    EXPECT_TRUE(constrained(w, {Kind::MinMaxNorm, 2, 0.5, 0}).equal(w));
}

TEST(Constraint, OfColumnsIsThatOfTheRowsOfTheTransposed)
{
    const at::Tensor w = at::randn({4, 5}, at::kDouble), b = at::randn({5}, at::kDouble);
    for (WeightConstraint held : {WeightConstraint{Kind::MaxNorm, 1}, WeightConstraint{Kind::UnitNorm},
                                  WeightConstraint{Kind::MinMaxNorm, 2, 1.5, 0.7}}) {
        const at::Tensor ofRows = constrained(w.t(), held), ofVector = constrained(b, held);
        held.columns = true;
        EXPECT_LT(largestDifference(constrained(w, held), ofRows.t()), 1e-14);
        EXPECT_TRUE(constrained(b, held).equal(ofVector)) << "a vector is one";
    }
}

TEST(Constraint, MaxNormShortensLongRowsAlone)
{
    const at::Tensor w = at::tensor({3.0, 4.0, 0.6, 0.8, 0.0, 0.0}, at::kDouble).view({3, 2});
    const at::Tensor want = at::tensor({1.2, 1.6, 0.6, 0.8, 0.0, 0.0}, at::kDouble).view({3, 2});
    const at::Tensor held = constrained(w, {Kind::MaxNorm, 2});
    EXPECT_LT(largestDifference(held, want), 1e-15);
    EXPECT_TRUE(held[1].equal(w[1])) << "a short row keeps its bits";
}

TEST(Constraint, OfAVectorIsOfTheWhole)
{
    const at::Tensor b = at::tensor({3.0, -4.0}, at::kDouble);
    EXPECT_LT(largestDifference(constrained(b, {Kind::MaxNorm, 1}), b / 5), 1e-15);
    EXPECT_LT(largestDifference(constrained(b, {Kind::UnitNorm}), b / 5), 1e-15);
}

TEST(Constraint, UnitNormLeavesRowsOfZeros)
{
    at::Tensor w = at::randn({4, 5}, at::kDouble);
    w[2].zero_();
    const at::Tensor held = constrained(w, {Kind::UnitNorm}), norms = at::linalg_vector_norm(held, 2, {-1});
    for (std::int64_t row = 0; row < 4; ++row)
        EXPECT_NEAR(norms[row].item<double>(), row == 2 ? 0 : 1, 1e-14);
}

TEST(Constraint, NonNegativeCutsAtZero)
{
    const at::Tensor w = at::randn({4, 5}, at::kDouble), held = constrained(w, {Kind::NonNegative});
    EXPECT_LT(largestDifference(held, (w + w.abs()) / 2), 1e-15);
}

TEST(Optimizer, AddsPenaltiesToTheLossAndToTheGradients)
{
    const at::Tensor start = at::randn({3, 2}, at::kDouble), gradient = at::randn({3, 2}, at::kDouble);
    std::vector<Weight> weights{ruled(start.clone(), {.l2 = 0.5}), ruled(start.clone(), {}),
                                ruled(start.clone(), {.l1 = 2})};
    Optimizer optimizer({}, weights);
    for (int i : {0, 1})
        weights[static_cast<std::size_t>(i)].tensor.mutable_grad() = gradient.clone();
    const at::Tensor sum = optimizer.addPenalties();
    EXPECT_NEAR(sum.item<double>(), (start.square().sum() * 0.5 + start.abs().sum() * 2).item<double>(), 1e-12);
    EXPECT_LT(largestDifference(weights[0].tensor.grad(), gradient + start), 1e-15);
    EXPECT_TRUE(weights[1].tensor.grad().equal(gradient));
    EXPECT_LT(largestDifference(weights[2].tensor.grad(), start.sign() * 2), 1e-15) << "without any other gradient";
}

TEST(Optimizer, WithoutPenaltiesThereIsNothingToAdd)
{
    std::vector<Weight> weights{ruled(at::randn({3, 2}), {})};
    EXPECT_FALSE(Optimizer({}, weights).addPenalties().defined());
}

TEST(Optimizer, ConstraintsHoldAfterAnUpdateAndNotAfterASkippedOne)
{
    TrainSettings sgd;
    sgd.optimizer = "sgd";
    sgd.optimizerSettings["weight_decay"] = 0.0;
    const at::Tensor start = at::randn({6, 5}) * 3;
    const WeightConstraint held{Kind::UnitNorm};
    std::vector<Weight> weights{ruled(start.clone(), {.constraint = held}),
                                ruled(start.clone(), {.learningRateScale = 0, .constraint = held})};
    Optimizer optimizer(sgd, weights);
    const at::Tensor gradient = at::randn({6, 5});
    for (Weight& weight : weights)
        weight.tensor.mutable_grad() = gradient.clone();
    optimizer.update(0.1, at::full({1}, 1.0f));
    EXPECT_TRUE(weights[0].tensor.equal(start)) << "a skipped update leaves everything as it is";
    optimizer.update(0.1, at::zeros({1}));
    const at::Tensor want = constrained(start - gradient * 0.1, held);
    EXPECT_LT(largestDifference(weights[0].tensor, want), 1e-6);
    EXPECT_TRUE(weights[1].tensor.equal(start)) << "what is frozen is not held either";
}

} // namespace unroll
