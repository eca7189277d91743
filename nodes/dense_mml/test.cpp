// SPDX-License-Identifier: GPL-3.0-or-later
// The ternary dense layer, which other blocks are made of too, and its block.
#include "core/model/rounding_record.h"
#include "nodes/shared/ternary_dense.h"
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace unroll::nodes {

namespace {

/// The effective weight a q, read off by sending in what makes rows of the identity: an only feature of a row keeps its
/// sign, scaled by sqrt(in).
at::Tensor effectiveWeight(const at::Tensor& weight)
{
    const std::int64_t in = weight.size(1);
    const at::Tensor rows = ternaryDense(at::eye(in, at::kDouble), at::ones({in}, at::kDouble), weight, {});
    return rows.t() / std::sqrt(static_cast<double>(in));
}

/// The definition in plain loops, in fp64.
at::Tensor ternaryByHand(const at::Tensor& x, const at::Tensor& gain, const at::Tensor& weight, double epsilon)
{
    const std::int64_t rows = x.size(0), in = x.size(1), out = weight.size(0);
    const auto X = x.accessor<double, 2>(), W = weight.accessor<double, 2>();
    const auto g = gain.accessor<double, 1>();
    at::Tensor y = at::zeros({rows, out}, at::kDouble);
    auto Y = y.accessor<double, 2>();
    double a = 0;
    for (std::int64_t o = 0; o < out; ++o)
        for (std::int64_t i = 0; i < in; ++i)
            a += std::abs(W[o][i]) / static_cast<double>(out * in);
    for (std::int64_t row = 0; row < rows; ++row) {
        double squares = 0, largest = 0;
        for (std::int64_t i = 0; i < in; ++i)
            squares += X[row][i] * X[row][i] / static_cast<double>(in);
        std::vector<double> n;
        for (std::int64_t i = 0; i < in; ++i) {
            n.push_back(X[row][i] / std::sqrt(squares + epsilon) * g[i]);
            largest = std::max(largest, std::abs(n.back()));
        }
        for (std::int64_t o = 0; o < out; ++o)
            for (std::int64_t i = 0; i < in; ++i) {
                const double code = std::nearbyint(n[static_cast<std::size_t>(i)] * 127 / largest);
                const double q = std::clamp(std::nearbyint(W[o][i] / a), -1.0, 1.0);
                Y[row][o] += code * largest / 127 * a * q;
            }
    }
    return y;
}

} // namespace

TEST(Ternary, IsItsDefinitionInLoops)
{
    for (const double epsilon : {1e-8, 1e-6, 1e-2}) {
        const at::Tensor x = at::randn({7, 13}, at::kDouble), weight = at::randn({9, 13}, at::kDouble);
        const at::Tensor gain = at::randn({13}, at::kDouble);
        const at::Tensor y = ternaryDense(x, gain, weight, {}, {.epsilon = epsilon});
        EXPECT_LT(y.sub(ternaryByHand(x, gain, weight, epsilon)).abs().max().item<double>(), 1e-12);
    }
}

/// The kernel's numbers are those of the definition in fp64, but for single codes that fall on the other side of a
/// half.
TEST(Ternary, KernelIsTheDefinition)
{
    for (const auto kind : {TernaryGradient::StraightThrough, TernaryGradient::Keras}) {
        const TernaryForm form = {.gradient = kind, .scales = 3, .epsilon = 1e-6};
        at::Generator numbers = contract::generatorOf(3);
        const auto drawn = [&](at::IntArrayRef sizes) {
            return at::randn(sizes, numbers, at::TensorOptions(at::kFloat));
        };
        const at::Tensor x = drawn({5, 4, 37}), gain = drawn({37}), weight = drawn({9, 37}), bias = drawn({9});
        const at::Tensor upward = drawn({5, 4, 9});
        std::vector<at::Tensor> want, got;
        ASSERT_TRUE(
            ternaryInputCodes(x, gain).equal(ternaryInputCodes(x.to(at::kDouble), gain.to(at::kDouble)).to(at::kFloat)))
            << "no code of these numbers lies that near to a half";
        for (const auto type : {at::kDouble, at::kFloat}) {
            std::vector<at::Tensor> leaves;
            for (const at::Tensor& leaf : {x, gain, weight, bias})
                leaves.push_back(leaf.to(type, /*non_blocking=*/false, /*copy=*/true).set_requires_grad(true));
            const at::Tensor y = ternaryDense(leaves[0], leaves[1], leaves[2], leaves[3], form);
            (y * upward).sum().backward();
            std::vector<at::Tensor>& results = type == at::kDouble ? want : got;
            results.push_back(y.detach());
            for (const at::Tensor& leaf : leaves)
                results.push_back(leaf.grad());
        }
        for (std::size_t i = 0; i < want.size(); ++i)
            EXPECT_LT(got[i].sub(want[i]).norm().item<double>(), 1e-5 * want[i].norm().item<double>()) << i;
    }
}

TEST(Ternary, WeightOfTheKnownNumbers)
{
    const at::Tensor weight = at::tensor({-1.23, .12, 4.56, 2.3, -5.34}, at::kDouble).view({1, 5});
    const at::Tensor codes = effectiveWeight(weight) * 0.36900369; // = 1 / mean |w|
    const double want[] = {0, 0, 1, 1, -1};
    for (std::int64_t i = 0; i < 5; ++i)
        EXPECT_NEAR(codes[0][i].item<double>(), want[i], 1e-6);
}

TEST(Ternary, PartsOfTheWeightHaveScalesOfTheirOwn)
{
    const at::Tensor x = at::randn({6, 4}, at::kDouble), gain = at::ones({4}, at::kDouble);
    const at::Tensor weight =
        at::randn({9, 4}, at::kDouble) * at::tensor({1., 1., 1., 5., 5., 5., .1, .1, .1}).unsqueeze(-1);
    const auto parts = weight.split(3);
    for (const auto kind : {TernaryGradient::StraightThrough, TernaryGradient::Keras}) {
        const at::Tensor whole = weight.clone().set_requires_grad(true);
        const at::Tensor y = ternaryDense(x, gain, whole, {}, {kind, 3});
        y.square().sum().backward();
        for (std::int64_t i = 0; i < 3; ++i) {
            const at::Tensor part = parts[static_cast<std::size_t>(i)].clone().set_requires_grad(true);
            const at::Tensor want = ternaryDense(x, gain, part, {}, {kind});
            want.square().sum().backward();
            EXPECT_LT(y.narrow(1, 3 * i, 3).sub(want).abs().max().item<double>(), 1e-12);
            EXPECT_LT(whole.grad().narrow(0, 3 * i, 3).sub(part.grad()).abs().max().item<double>(), 1e-11);
        }
    }
}

TEST(Ternary, RowsAreRoundedTo255Steps)
{
    const at::Tensor x = at::randn({11, 9}, at::kDouble) * 3;
    const at::Tensor codes = ternaryInputCodes(x, at::ones({9}, at::kDouble));
    EXPECT_EQ(codes.sub(codes.round()).abs().max().item<double>(), 0);
    for (std::int64_t row = 0; row < 11; ++row)
        EXPECT_EQ(codes[row].abs().max().item<double>(), 127);
    const at::Tensor exact = x / x.abs().amax({-1}, true) * 127;
    EXPECT_LE(codes.sub(exact).abs().max().item<double>(), 0.5 + 1e-6);
}

TEST(Ternary, RowOfZerosGivesTheBiasAndAFiniteGradient)
{
    at::Tensor x = at::randn({3, 4}, at::kDouble);
    x[1].zero_();
    x.set_requires_grad(true);
    const at::Tensor weight = at::randn({5, 4}, at::kDouble), bias = at::randn({5}, at::kDouble);
    const at::Tensor y = ternaryDense(x, at::ones({4}, at::kDouble), weight, bias);
    y.square().sum().backward();
    EXPECT_EQ(y[1].sub(bias).abs().max().item<double>(), 0);
    EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
}

TEST(Ternary, KerasGradientGoesThroughTheScaleToo)
{
    const at::Tensor x = at::randn({6, 4}, at::kDouble), gain = at::ones({4}, at::kDouble);
    const at::Tensor g = at::randn({6, 3}, at::kDouble);
    at::Tensor gradients[2];
    at::Tensor weight = at::randn({3, 4}, at::kDouble).set_requires_grad(true);
    for (int i = 0; i < 2; ++i) {
        weight.mutable_grad() = at::Tensor();
        const auto kind = i == 0 ? TernaryGradient::StraightThrough : TernaryGradient::Keras;
        (ternaryDense(x, gain, weight, {}, {kind}) * g).sum().backward();
        gradients[i] = weight.grad().clone();
    }
    const at::NoGradGuard noGradient;
    const at::Tensor a = weight.abs().mean(), q = (weight / a).round().clamp(-1, 1);
    const at::Tensor want = a * gradients[0] + (gradients[0] * q).sum() * weight.sign() / 12;
    EXPECT_LT(gradients[1].sub(want).abs().max().item<double>(), 1e-12);
}

TEST(DenseMml, OneFeatureIsWarnedOf)
{
    using namespace contract;
    BlockCase narrow = casesOf("dense_mml").front();
    narrow.inputs["x"].width = 1;
    const auto diagnostics = infer(narrow).diagnostics;
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics.front().severity, Severity::Warning);
    EXPECT_EQ(diagnostics.front().code, "one-feature");
}

/// Without gradient the weight is kept as it was packed: as long as it is the same.
TEST(DenseMml, StepsFollowEveryChangeOfTheWeight)
{
    using namespace contract;
    const auto block = build(casesOf("dense_mml").front(), 1, at::kFloat);
    at::Tensor weight = block->weights()[1].tensor;
    const std::int64_t in = weight.size(1);
    const at::Tensor x = at::randn({1, 2, in});
    const auto step = [&] { return block->forward({{x}}, {}).front().front().detach(); };
    const auto learned = [&] { return step(); };
    const auto generated = [&] {
        const at::NoGradGuard guard;
        return step();
    };
    at::Tensor last;
    for (int change = 0; change < 4; ++change) {
        EXPECT_TRUE(generated().equal(learned())) << change;
        EXPECT_TRUE(generated().equal(learned())) << change << " again";
        EXPECT_FALSE(last.defined() && last.equal(generated())) << change;
        last = generated();
        const at::NoGradGuard guard;
        if (change == 0)
            weight.copy_(at::randn(weight.sizes()));
        else if (change == 1)
            weight.mul_(at::randn(weight.sizes()));
        else
            weight.set_data(at::randn(weight.sizes()));
    }
}

/// Two moves between passes: the second new storage may get the address of the one that the first move freed.
TEST(DenseMml, OtherNumbersAtTheSameAddressAreNotTakenForTheKeptWeight)
{
    using namespace contract;
    const at::NoGradGuard guard;
    const auto block = build(casesOf("dense_mml").front(), 1, at::kFloat);
    at::Tensor weight = block->weights()[1].tensor;
    const at::Tensor x = at::randn({1, 2, weight.size(1)});
    const auto step = [&] { return block->forward({{x}}, {}).front().front(); };
    for (int turn = 0; turn < 8; ++turn) {
        const at::Tensor before = step();
        weight.set_data(at::randn(weight.sizes()));
        weight.set_data(at::randn(weight.sizes()));
        const at::Tensor after = step();
        EXPECT_FALSE(after.equal(before)) << turn;
    }
}

TEST(Ternary, RoundingsAreTheDefinitionsWhereTheyAreRecorded)
{
    const at::Tensor x = at::randn({3, 20}), gain = at::ones({20}), weight = at::randn({7, 20});
    RoundingRecord record;
    EXPECT_FALSE(hasTernaryKernel(x));
    ternaryDense(x, gain, weight, {});
    EXPECT_EQ(record.roundings(), 2) << "of the rows and of the weight";
}

/// What Keras calls regularisers and constraints: for the matrix, for the bias, and not for the gain.
TEST(DenseMml, RulesAreOfTheWeightsTheyName)
{
    using namespace contract;
    BlockCase made = casesOf("dense_mml").front();
    made.params["weights_l1"] = 0.25;
    made.params["bias_l2"] = 0.5;
    made.params["weights_constraint"] = std::string("max_norm");
    made.params["max_norm"] = 3.0;
    made.params["bias_constraint"] = std::string("max_norm");
    made.params["bias_max_norm"] = 0.5;
    const auto block = build(made);
    using Kind = WeightConstraint::Kind;
    const WeightRule wanted[] = {
        {}, {.l1 = 0.25, .constraint = {Kind::MaxNorm, 3}}, {.l2 = 0.5, .constraint = {Kind::MaxNorm, 0.5}}};
    const char* names[] = {"gain", "weight", "bias"};
    ASSERT_EQ(block->weights().size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(block->weights()[i].name, names[i]);
        EXPECT_EQ(block->weights()[i].rule, wanted[i]) << names[i];
    }
    made.params["weights_orthogonal"] = 0.01;
    made.params["weights_orthogonal_mode"] = std::string("columns");
    made.params["weights_constraint"] = std::string("min_max_norm");
    made.params["min_norm"] = 0.25;
    made.params["norm_rate"] = 0.5;
    made.params["weights_norm"] = std::string("columns");
    const auto other = build(made);
    EXPECT_EQ(other->weights()[1].rule, (WeightRule{.l1 = 0.25,
                                                    .orthogonal = 0.01,
                                                    .orthogonalColumns = true,
                                                    .constraint = {Kind::MinMaxNorm, 3, 0.25, 0.5, true}}));
    EXPECT_EQ(other->weights()[2].rule, wanted[2]);
}

} // namespace unroll::nodes
