// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/ternary_dense.h"
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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

} // namespace

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

TEST(Grumml, HeadsThatDoNotDivideAreRefusedInThoseWords)
{
    using namespace contract;
    const auto checked =
        checkAround(graphAround("grumml", {{"units", std::int64_t{64}}, {"num_heads", std::int64_t{3}}}));
    EXPECT_FALSE(checked.runnable());
    std::vector<std::string> sentences;
    for (const Diagnostic& diagnostic : checked.diagnostics)
        sentences.push_back(diagnostic.sentence);
    EXPECT_THAT(sentences, ::testing::Contains(::testing::HasSubstr("num_heads = 3 does not divide units = 64")));
}

TEST(Grumml, HeadsChangeNoNumber)
{
    using namespace contract;
    BlockCase one = casesOf("grumml").front(), three = one;
    three.params["num_heads"] = std::int64_t{3};
    const auto first = build(one), second = build(three);
    const auto left = floats(first->forward(inputsOf(one, *first), {}));
    const auto right = floats(second->forward(inputsOf(one, *first), {}));
    for (std::size_t i = 0; i < left.size(); ++i)
        EXPECT_EQ(difference(left[i], right[i]), 0);
}

TEST(Grumml, OneFeatureIsWarnedOf)
{
    using namespace contract;
    BlockCase narrow = casesOf("grumml").front();
    narrow.inputs["x"].width = 1;
    const auto diagnostics = infer(narrow).diagnostics;
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics.front().severity, Severity::Warning);
    EXPECT_EQ(diagnostics.front().code, "one-feature");
}

} // namespace unroll::nodes
