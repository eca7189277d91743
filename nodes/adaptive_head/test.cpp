// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/loss_only.h"
#include "core/model/model.h"
#include "nodes/shared/class_bands.h"
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"
#include "tests/support/tiny_experiment.h"

#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randint.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

constexpr double kEqual = 1e-12;

/// Of 7 classes: a shortlist of two, tails of two and three.
BlockCase twoTails()
{
    BlockCase made = casesOf("adaptive_head").front();
    made.params["cutoffs"] = std::string("2, 4");
    made.params["div_value"] = 2.0;
    made.params["head_bias"] = true;
    return made;
}

at::Tensor weightOf(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    ADD_FAILURE() << "no weight " << name;
    return {};
}

at::Tensor times(const at::Tensor& x, const at::Tensor& weight)
{
    return at::matmul(x, weight.t());
}

std::vector<at::Tensor> gradientsOf(Block& block, const at::Tensor& x)
{
    std::vector<at::Tensor> found = {x.grad().clone()};
    x.mutable_grad().zero_();
    for (Weight& weight : block.weights()) {
        found.push_back(weight.tensor.grad().clone());
        weight.tensor.mutable_grad().zero_();
    }
    return found;
}

/// The loss alone and with all log-probabilities, and every gradient, are the same.
void expectTheSameLossAlone(const BlockCase& made, const at::Tensor& targets)
{
    const auto block = build(made);
    auto inputs = inputsOf(made, *block);
    const at::Tensor x = inputs[0].front().set_requires_grad(true);
    inputs[1] = {targets};
    const auto whole = block->forward(inputs, {});
    whole[0][0].backward();
    const auto want = gradientsOf(*block, x);
    const LossOnly alone;
    const auto outputs = block->forward(inputs, {});
    EXPECT_TRUE(outputs[1].empty()) << "nobody asks for it";
    EXPECT_NEAR(outputs[0][0].item<double>(), whole[0][0].item<double>(), kEqual);
    outputs[0][0].backward();
    const auto got = gradientsOf(*block, x);
    for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_LT(difference(got[i], want[i]), kEqual) << i;
}

} // namespace

TEST(AdaptiveHead, GivesTheLogProbabilitiesOfItsFormula)
{
    const BlockCase made = twoTails();
    const auto block = build(made);
    const auto inputs = inputsOf(made, *block);
    const at::Tensor x = inputs[0].front(), logits = block->forward(inputs, {})[1][0];
    const at::Tensor first =
        at::log_softmax(times(x, weightOf(*block, "head.weight")) + weightOf(*block, "head.bias"), -1);
    EXPECT_LT(difference(logits.narrow(-1, 0, 2), first.narrow(-1, 0, 2)), kEqual);
    for (const std::int64_t tail : {0, 1}) {
        const std::string name = "tail." + std::to_string(tail);
        const at::Tensor read =
            times(times(x, weightOf(*block, name + ".0.weight")), weightOf(*block, name + ".1.weight"));
        const at::Tensor want = at::log_softmax(read, -1) + first.narrow(-1, 2 + tail, 1);
        EXPECT_LT(difference(logits.narrow(-1, tail == 0 ? 2 : 4, tail == 0 ? 2 : 3), want), kEqual) << name;
    }
    EXPECT_LT(difference(logits.exp().sum(-1), at::ones_like(logits.select(-1, 0))), kEqual);
}

TEST(AdaptiveHead, GivesTheSameLossWhereNothingElseIsAsked)
{
    const BlockCase made = twoTails();
    const at::Tensor targets = inputsOf(made, *build(made))[1].front();
    expectTheSameLossAlone(made, targets);
    expectTheSameLossAlone(made, at::full_like(targets, 1)); // no tail has a target
    expectTheSameLossAlone(made, at::full_like(targets, 6));
    expectTheSameLossAlone(casesOf("adaptive_head").front(), targets);
}

TEST(AdaptiveHead, GivesLogProbabilitiesWhereAnotherNodeReadsThem)
{
    for (const bool isRead : {false, true}) {
        Graph graph = graphAround("adaptive_head", {});
        if (isRead) {
            graph.addNode(testing::makeNode(graph.nextId, "scale", "reader", {}));
            graph.addWire({{kMiddle, "logits"}, {graph.findByName("reader")->id, "x"}});
        }
        const CheckedGraph checked = checkAround(graph);
        auto model = Model::build(graph, checked, registry(), builders(), 1, at::kDouble);
        ASSERT_TRUE(model) << model.error().text();
        at::Generator random = generatorOf(5);
        const at::Tensor tokens = at::randint(0, 4, {7, 3}, random, at::kLong);
        EXPECT_TRUE((*model)->forward({tokens, tokens, {}, {}}, {}, {}).prediction.defined());
        const LossOnly alone;
        EXPECT_EQ((*model)->forward({tokens, tokens, {}, {}}, {}, {}).prediction.defined(), isRead);
    }
}

TEST(AdaptiveHead, ScoresNothingAsZeroWithAZeroGradient)
{
    for (const bool alone : {false, true}) {
        const LossOnly asked(alone);
        const BlockCase made = twoTails();
        const auto block = build(made);
        auto inputs = inputsOf(made, *block);
        inputs[1] = {at::full({5, 3}, -100, at::kLong)};
        const auto outputs = block->forward(inputs, {});
        outputs[0][0].backward();
        EXPECT_EQ(outputs[0][0].item<double>(), 0);
        for (const Weight& weight : block->weights())
            EXPECT_EQ(weight.tensor.grad().abs().sum().item<double>(), 0) << weight.name;
    }
}

TEST(AdaptiveHead, ReadsCutoffs)
{
    using ::testing::ElementsAre;
    EXPECT_THAT(bandsOf("2000, 10000", 50000).cutoffs, ElementsAre(2000, 10000));
    EXPECT_THAT(bandsOf("", 50000).cutoffs, ElementsAre(3333, 10000));
    EXPECT_THAT(bandsOf(" ", 7).cutoffs, ElementsAre(1));
    EXPECT_THAT(bandsOf("", 1).cutoffs, ElementsAre());
    EXPECT_EQ(bandsOf("2000, 10000", 50000).size(1), 40000);
    EXPECT_EQ(bandsOf("3, 3", 7).fault, "cutoffs must rise from at least 1; 3 does not");
    EXPECT_EQ(bandsOf("0", 7).fault, "cutoffs must rise from at least 1; 0 does not");
    EXPECT_EQ(bandsOf("3,", 7).fault, "cutoffs are whole numbers separated by commas, as in 2000, 10000; '' is none");
    EXPECT_EQ(bandsOf("2, 7", 7).fault, "every cutoff must be below the number of classes, 7; the last is 7");
}

TEST(AdaptiveHead, NarrowsAsTorchDoes)
{
    EXPECT_EQ(tailWidth(512, 4, 0), 128);
    EXPECT_EQ(tailWidth(512, 4, 2), 8);
    EXPECT_EQ(tailWidth(100, 3, 1), 11);
    EXPECT_EQ(tailWidth(5, 4, 3), 1) << "never nothing";
}

TEST(AdaptiveHead, RefusesCutoffsBeyondTheClasses)
{
    BlockCase made = twoTails();
    made.params["cutoffs"] = std::string("2, 9");
    const Inferred refused = infer(made);
    ASSERT_EQ(refused.diagnostics.size(), 1u);
    EXPECT_EQ(refused.diagnostics.front().where, "cutoffs");
    EXPECT_EQ(refused.offer, std::pair(std::string("cutoffs"), ParamValue(std::string())));
}

} // namespace unroll::nodes
