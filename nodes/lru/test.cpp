// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase lruCase(const Params& params)
{
    BlockCase made = casesOf("lru").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

at::Tensor lruWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

} // namespace

TEST(Lru, BeginsInTheRing)
{
    const auto block =
        buildUnshaken(lruCase({{"state_size", std::int64_t{400}}, {"r_min", 0.9}, {"r_max", 0.99}, {"max_phase", 0.3}}),
                      1, at::kDouble);
    const at::Tensor modulus = lruWeight(*block, "nu_log").exp().neg().exp();
    const at::Tensor angle = lruWeight(*block, "theta_log").exp();
    EXPECT_GE(modulus.min().item<double>(), 0.9);
    EXPECT_LE(modulus.max().item<double>(), 0.99);
    EXPECT_NEAR(modulus.square().mean().item<double>(), (0.81 + 0.9801) / 2, 0.01);
    EXPECT_LE(angle.max().item<double>(), 0.3);
    const at::Tensor gamma = lruWeight(*block, "gamma_log").exp();
    EXPECT_LT((gamma.square() - (1 - modulus.square())).abs().max().item<double>(), 1e-12);
}

/// A whole ring holds 0 and 1, whose logarithms are not numbers, and a phase may be held at 0.
TEST(Lru, BeginsFiniteWhereverTheRingEnds)
{
    for (const Params& ring : {Params{{"r_min", 0.0}, {"r_max", 1.0}}, Params{{"r_min", 0.0}, {"r_max", 0.0}},
                               Params{{"r_min", 0.999999}, {"r_max", 1.0}}, Params{{"max_phase", 0.0}}})
        for (at::ScalarType type : {at::kFloat, at::kDouble}) {
            const auto block = buildUnshaken(lruCase(ring), 7, type);
            for (const char* name : {"nu_log", "theta_log", "gamma_log"})
                EXPECT_TRUE(lruWeight(*block, name).isfinite().all().item<bool>()) << name;
        }
}

/// What came in n steps ago has faded to |λ|^n: the half-life is ln 2 / -ln |λ|.
TEST(Lru, AMemoryFadesAtTheRateOfItsModulus)
{
    const BlockCase made = lruCase({{"skip", std::string("none")}});
    const auto block = build(made, 3, at::kDouble);
    const std::int64_t states = std::get<std::int64_t>(made.params.at("state_size"));
    const at::Tensor re = at::randn({1, states}, at::kDouble), im = at::randn({1, states}, at::kDouble);
    const at::Tensor nothing = at::zeros({9, 1, made.inputs.at("x").width}, at::kDouble);
    const auto outputs = block->forward({{nothing}, {re, im}, {}}, {});
    const at::Tensor before = (re.square() + im.square()).sqrt();
    const at::Tensor after = (outputs[1][0].square() + outputs[1][1].square()).sqrt();
    const at::Tensor want = before * (lruWeight(*block, "nu_log").exp() * -9).exp();
    EXPECT_LT((after - want).abs().max().item<double>(), 1e-12);
}

TEST(Lru, AVectorSkipOffersWhatWouldFit)
{
    BlockCase made = lruCase({{"units", std::int64_t{3}}, {"skip", std::string("vector")}});
    made.inputs["x"].width = 5;
    const auto found = infer(made).diagnostics;
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0].sentence, ::testing::HasSubstr("units must equal its width, 5; it is 3"));
}

} // namespace unroll::nodes
