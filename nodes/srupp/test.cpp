// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

namespace {

using namespace contract;

constexpr std::int64_t kUnits = 8, kNarrow = 4;

BlockCase sruppCase(const Params& params, std::int64_t width = kUnits)
{
    BlockCase made{registry().find("srupp"), registry().find("srupp")->withDefaults(params), {}};
    made.params.insert_or_assign("units", kUnits);
    made.params.insert_or_assign("projection_size", kNarrow);
    made.inputs["x"] = {.type = PortType::Sequence, .width = width};
    return made;
}

std::map<std::string, at::Tensor> freshWeights(const BlockCase& made)
{
    std::map<std::string, at::Tensor> weights;
    const auto block = buildUnshaken(made, 1, at::kDouble);
    for (const Weight& weight : block->weights())
        weights[weight.name] = weight.tensor.detach();
    return weights;
}

at::Tensor outputOf(Block& block, const at::Tensor& x)
{
    return block.forward({{x}, {}, {}}, {})[0][0];
}

at::Tensor drawnInput(std::int64_t steps)
{
    at::Generator random = generatorOf(3);
    return at::randn({steps, 2, kUnits}, random, at::kDouble);
}

} // namespace

TEST(SruPlusPlus, HasFourPartsOnlyWhereTheSkipNeedsAnotherWidth)
{
    EXPECT_EQ(freshWeights(sruppCase({})).at("linear3.weight").size(0), 3 * kUnits);
    EXPECT_EQ(freshWeights(sruppCase({}, kUnits - 1)).at("linear3.weight").size(0), 4 * kUnits);
}

TEST(SruPlusPlus, WithoutAttentionTwoProductsAreLeft)
{
    const auto weights = freshWeights(sruppCase({{"attention", std::string("none")}}));
    EXPECT_FALSE(weights.contains("linear2.weight"));
    EXPECT_FALSE(weights.contains("alpha"));
    EXPECT_EQ(weights.at("linear1.weight").sizes(), (std::vector<std::int64_t>{kNarrow, kUnits}));
    const auto block = build(sruppCase({{"attention", std::string("none")}}));
    EXPECT_EQ(block->initialState(2).front().size(1), kUnits) << "the state is c alone";
}

/// α begins at 0, and lets what was gathered in as soon as it is another number.
TEST(SruPlusPlus, AFreshLayerIsOneThatDoesNotLookBack)
{
    const BlockCase made = sruppCase({});
    const auto block = buildUnshaken(made, 1, at::kDouble);
    const auto without = buildUnshaken(sruppCase({{"attention", std::string("none")}}), 1, at::kDouble);
    const at::NoGradGuard values;
    for (Weight& target : without->weights())
        for (const Weight& weight : block->weights())
            if (weight.name == target.name)
                target.tensor.copy_(weight.tensor);
    const at::Tensor x = drawnInput(7), alone = outputOf(*without, x);
    EXPECT_LT(difference(outputOf(*block, x), alone), 1e-14);
    for (Weight& weight : block->weights())
        if (weight.name == "alpha")
            weight.tensor.fill_(1);
    EXPECT_GT(difference(outputOf(*block, x), alone), 1e-3);
}

/// What is written into c at a step is made of the window's steps; the recurrence remembers longer, and is shut here.
TEST(SruPlusPlus, LooksBackNoFurtherThanItsWindow)
{
    const BlockCase made = sruppCase({{"window", std::int64_t{3}}});
    const auto block = build(made);
    {
        const at::NoGradGuard values;
        for (Weight& weight : block->weights()) {
            if (weight.name == "bias")
                weight.tensor.narrow(0, 0, kUnits).fill_(-800); // f keeps nothing
            if (weight.name == "weight_c")
                weight.tensor.zero_(); // and r sees nothing of it
            if (weight.name == "alpha")
                weight.tensor.fill_(1);
        }
    }
    at::Tensor x = drawnInput(8);
    const at::Tensor y = outputOf(*block, x);
    x[2] += 1;
    const at::Tensor changed = outputOf(*block, x) - y;
    for (std::int64_t t = 0; t < 8; ++t)
        EXPECT_EQ(changed[t].abs().max().item<double>() > 1e-9, t >= 2 && t <= 4) << "step " << t;
}

/// Without a mask no mask is made: as with one of all steps, and as by weights that are written out.
TEST(SruPlusPlus, AttentionToAllStepsNeedsNoMask)
{
    struct Watching : Observer {
        bool wants(const std::string&, const std::string& signal) const override { return signal == "weights"; }
        void show(const std::string&, const std::string&, const at::Tensor& value) override { weights = value; }
        at::Tensor weights;
    };
    const auto block = build(sruppCase({{"attention", std::string("full")}, {"num_heads", std::int64_t{2}}}));
    const auto passed = [&](const at::Tensor& x, const Value& mask, Observer* observer) {
        const at::Tensor read = x.clone().requires_grad_(true);
        const at::Tensor y = block->forward({{read}, {}, mask}, {.observer = observer})[0][0];
        y.square().sum().backward();
        return std::pair(y.detach(), read.grad());
    };
    for (const std::int64_t steps : {1, 2, 7, 33}) {
        const at::Tensor x = drawnInput(steps), all = at::ones({steps, 2}, at::kBool);
        Watching watching;
        const auto [y, dx] = passed(x, {}, nullptr);
        const auto [masked, dmasked] = passed(x, {all}, nullptr);
        const auto [written, dwritten] = passed(x, {}, &watching);
        EXPECT_LT(difference(y, masked) + difference(dx, dmasked), 1e-12) << steps;
        EXPECT_LT(difference(y, written) + difference(dx, dwritten), 1e-12) << steps;
        EXPECT_GT(watching.weights.min().item<double>(), 0) << "all keys are seen, later ones too";
    }
}

TEST(SruPlusPlus, InitialValuesAreThoseOfThePackage)
{
    BlockCase made = sruppCase({{"transform_dropout", 0.36}}, 96);
    made.params.insert_or_assign("units", std::int64_t{64});
    made.params.insert_or_assign("projection_size", std::int64_t{48});
    const auto weights = freshWeights(made);
    const auto largest = [&](const char* name) { return weights.at(name).abs().max().item<double>(); };
    EXPECT_NEAR(largest("linear1.weight"), std::sqrt(6.0 / (96 + 48)), 0.003);
    EXPECT_NEAR(largest("linear2.weight"), std::sqrt(6.0 / (3 * 48)), 0.003);
    EXPECT_NEAR(largest("linear3.weight"), 0.8 * std::sqrt(6.0 / (48 + 4 * 64)), 0.003);
    EXPECT_NEAR(largest("weight_c"), 1, 0.03);
    EXPECT_LE(largest("weight_c"), 1);
    EXPECT_EQ(largest("alpha"), 0);
    EXPECT_EQ(weights.at("bias").narrow(0, 64, 64).add(2).abs().max().item<double>(), 0);
}

TEST(SruPlusPlus, HeadsMustDivideTheNarrowSpace)
{
    const BlockCase made = sruppCase({{"num_heads", std::int64_t{3}}});
    const Inferred inferred = infer(made);
    ASSERT_EQ(inferred.diagnostics.size(), 1u);
    EXPECT_EQ(inferred.diagnostics[0].sentence, "num_heads must divide projection_size, 4; it is 3");
    EXPECT_EQ(inferred.offer->second, ParamValue(std::int64_t{2}));
}

TEST(SruPlusPlus, ANormOfTwoFeaturesIsRefused)
{
    BlockCase made = sruppCase({});
    made.params.insert_or_assign("projection_size", std::int64_t{2});
    const Inferred inferred = infer(made);
    ASSERT_EQ(inferred.diagnostics.size(), 1u);
    EXPECT_EQ(inferred.diagnostics[0].where, "projection_size");
    EXPECT_EQ(inferred.offer->first, "attn_layer_norm");
    made.params.insert_or_assign("attn_layer_norm", false);
    EXPECT_TRUE(infer(made).diagnostics.empty());
}

namespace {

/// The numbers of one layer of a stack in a block of its own.
std::unique_ptr<Block> layerAlone(const Block& stack, const Params& params, std::int64_t index, std::int64_t width)
{
    auto block = build(sruppCase(params, width));
    const std::string prefix = "layers." + std::to_string(index) + ".";
    const at::NoGradGuard values;
    std::size_t copied = 0;
    for (Weight& target : block->weights())
        for (const Weight& weight : stack.weights())
            if (weight.name == prefix + target.name) {
                target.tensor.copy_(weight.tensor);
                ++copied;
            }
    EXPECT_EQ(copied, block->weights().size());
    return block;
}

/// Which of so many layers attend: 1 or 0 each.
void expectStack(const Params& params, const std::vector<int>& attends)
{
    constexpr std::int64_t kIn = kUnits - 1;
    Params all = params;
    all["num_layers"] = std::ssize(attends);
    all["window"] = std::int64_t{4};
    const BlockCase made = sruppCase(all, kIn);
    const auto stack = build(made);
    at::Generator random = generatorOf(4);
    const at::Tensor x = at::randn({6, 2, kIn}, random, at::kDouble);
    const auto first = stack->forward({{x}, {}, {}}, {}), second = stack->forward({{x}, first[1], {}}, {});
    at::Tensor chained = x, again = x;
    std::int64_t from = 0;
    for (std::size_t layer = 0; layer < attends.size(); ++layer) {
        const Params own = {{"attention", std::string(attends[layer] != 0 ? "causal" : "none")},
                            {"window", std::int64_t{4}}};
        const auto alone = layerAlone(*stack, own, static_cast<std::int64_t>(layer), layer == 0 ? kIn : kUnits);
        const auto once = alone->forward({{chained}, {}, {}}, {}), twice = alone->forward({{again}, once[1], {}}, {});
        const std::int64_t width = once[1][0].size(1);
        EXPECT_LT(difference(second[1][0].narrow(1, from, width), twice[1][0]), 1e-12) << "state of layer " << layer;
        from += width;
        chained = once[0][0];
        again = twice[0][0];
    }
    EXPECT_EQ(from, second[1][0].size(1));
    EXPECT_EQ(from, infer(made).outputs.at("state").width);
    EXPECT_LT(difference(first[0][0], chained), 1e-12);
    EXPECT_LT(difference(second[0][0], again), 1e-12) << "read on";
}

} // namespace

TEST(SruPlusPlus, LayersAreBlocksInARowOfWhichSomeAttend)
{
    expectStack({}, {1, 1});
    expectStack({{"attention_every_n_layers", std::int64_t{2}}}, {0, 1, 0});
    expectStack({{"attention_last_n_layers", std::int64_t{1}}}, {0, 0, 1});
    expectStack({{"attention_last_n_layers", std::int64_t{2}}, {"attention_every_n_layers", std::int64_t{3}}},
                {0, 1, 1});
    expectStack({{"attention", std::string("none")}}, {0, 0});
}

TEST(SruPlusPlus, WarnsWhereNoLayerAttends)
{
    const auto found = [](std::int64_t layers, std::int64_t every, std::int64_t last, const char* attention) {
        return infer(sruppCase({{"num_layers", layers},
                                {"attention_every_n_layers", every},
                                {"attention_last_n_layers", last},
                                {"attention", std::string(attention)}}))
            .diagnostics;
    };
    for (const char* attention : {"causal", "full"}) {
        const auto said = found(4, 5, 0, attention);
        ASSERT_EQ(said.size(), 1u) << attention;
        EXPECT_EQ(said.front().severity, Severity::Warning);
        EXPECT_EQ(said.front().code, "nothing-attends");
        EXPECT_EQ(said.front().sentence, "no layer attends: attention_every_n_layers, 5, is above num_layers, 4");
    }
    EXPECT_TRUE(found(4, 4, 0, "causal").empty());
    EXPECT_TRUE(found(4, 5, 1, "causal").empty()) << "the last does";
    EXPECT_TRUE(found(4, 5, 6, "causal").empty()) << "all do";
    EXPECT_TRUE(found(1, 5, 0, "causal").empty()) << "one layer always does";
    EXPECT_TRUE(found(4, 5, 0, "none").empty());
}

TEST(SruPlusPlus, OfSeveralLayersTheLastHasNoDropout)
{
    BlockCase made = sruppCase({{"num_layers", std::int64_t{2}}, {"dropout", 0.9}});
    const auto block = build(made);
    at::Generator dropout = generatorOf(2);
    const at::Tensor x = drawnInput(5);
    const auto trained = block->forward({{x}, {}, {}}, {.training = true, .dropout = &dropout});
    EXPECT_GT(difference(trained[0][0], outputOf(*block, x)), 1e-3) << "the first has it";
    made.params.insert_or_assign("num_layers", std::int64_t{1});
    EXPECT_EQ(made.spec->weightsOf(made.params, made.inputs).front().name, "linear1.weight");
}

} // namespace unroll::nodes
