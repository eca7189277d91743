// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/dataset.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/experiment.h"
#include "core/lens/probe.h"
#include "core/model/model.h"
#include "core/train/sampler.h"
#include "nodes/attention/test_relative.h"
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace unroll::nodes {

namespace {

using namespace contract;

constexpr std::int64_t kWidth = 12;

BlockCase attentionCase(const Params& params)
{
    BlockCase made{registry().find("attention"), registry().find("attention")->withDefaults(params), {}};
    made.params.insert_or_assign("num_heads", std::int64_t{3});
    made.inputs["x"] = {.type = PortType::Sequence, .width = kWidth};
    return made;
}

at::Tensor outputOf(Block& block, const at::Tensor& x, const Value& state = {}, const PassContext& context = {})
{
    return block.forward({{x}, state, {}}, context)[0][0];
}

struct Weights : Observer {
    at::Tensor seen; ///< [T, B, heads, K]
    bool wants(const std::string&, const std::string& signal) const override { return signal == "weights"; }
    void show(const std::string&, const std::string&, const at::Tensor& value) override
    {
        seen = value.unflatten(-1, {3, -1});
    }
};

std::vector<Diagnostic> findings(const BlockCase& made, const SequenceFacts& sequence)
{
    InferScope scope(made.params, made.inputs, nullptr, sequence);
    made.spec->infer(scope);
    return scope.diagnostics();
}

} // namespace

/// Blocks of keys that are hidden as a whole come first where a sequence is long.
TEST(Attention, ALongSequenceInASmallWindowIsWhatTheWeightsSay)
{
    const BlockCase made = attentionCase({{"window", std::int64_t{5}}});
    const auto block = build(made);
    const at::Tensor x = at::randn({1100, 1, kWidth}, generatorOf(3), at::kDouble);
    Weights weights;
    const at::Tensor fast = outputOf(*block, x), plain = outputOf(*block, x, {}, {.observer = &weights});
    EXPECT_LT(difference(fast, plain), 1e-12);
    EXPECT_EQ(weights.seen.sizes(), (std::vector<std::int64_t>{1100, 1, 3, 1100}));
    EXPECT_LT(difference(weights.seen.sum(-1), weights.seen.sum(-1).mul(0).add(1)), 1e-12);
    EXPECT_EQ(weights.seen.select(0, 900).narrow(-1, 0, 896).abs().sum().item<double>(), 0) << "before the window";
    EXPECT_GT(weights.seen.select(0, 900).select(-1, 896).min().item<double>(), 0) << "its oldest step";
    EXPECT_EQ(weights.seen.select(0, 900).narrow(-1, 901, 199).abs().sum().item<double>(), 0) << "later steps";
}

/// One block with a window of w sees w - 1 steps back.
TEST(Attention, WhatIsOlderThanTheWindowIsForgotten)
{
    const auto block = build(attentionCase({{"window", std::int64_t{4}}}));
    const at::Tensor x = at::randn({9, 2, kWidth}, generatorOf(3), at::kDouble), y = outputOf(*block, x);
    at::Tensor other = x.clone();
    other[2] = other[2].neg();
    const at::Tensor changed = outputOf(*block, other).sub(y).abs().amax({1, 2});
    for (std::int64_t t = 0; t < 9; ++t)
        EXPECT_EQ(changed[t].item<double>() > 0, t >= 2 && t <= 5) << t;
}

TEST(Attention, RopeKnowsDistancesAlone)
{
    for (const bool rope : {true, false}) {
        const auto block =
            build(attentionCase({{"positions", std::string(rope ? "rope" : "learned")}, {"window", std::int64_t{4}}}));
        const at::Tensor x = at::randn({8, 1, kWidth}, generatorOf(3), at::kDouble);
        const at::Tensor late = outputOf(*block, at::cat({x, x})).narrow(0, 11, 5);
        EXPECT_EQ(difference(late, outputOf(*block, x).narrow(0, 3, 5)) < 1e-12, rope);
    }
}

/// The kernel with queries and keys turned before it, and the weights written out.
TEST(Attention, XposKnowsDistancesAloneInBothWays)
{
    const BlockCase made =
        attentionCase({{"positions", std::string("xpos")}, {"xpos_scale", 3.0}, {"window", std::int64_t{16}}});
    const auto block = build(made);
    const at::Tensor x = at::randn({16, 2, kWidth}, generatorOf(3), at::kDouble);
    Weights weights;
    EXPECT_LT(difference(outputOf(*block, x), outputOf(*block, x, {}, {.observer = &weights})), 1e-10);
    const auto first = block->forward({{x.narrow(0, 0, 9)}, {}, {}}, {});
    const at::Tensor second = outputOf(*block, x.narrow(0, 9, 7), first[1]);
    EXPECT_LT(difference(at::cat({first[0][0], second}), outputOf(*block, x)), 1e-10);
    const auto plain = build(attentionCase({{"window", std::int64_t{16}}}));
    EXPECT_GT(difference(outputOf(*plain, x), outputOf(*block, x)), 1e-3) << "the weights are the same";
}

/// What one pass turned by is kept for the next: of other lengths, with the kernel and without it, and in training.
TEST(Attention, PassesOfOneBlockAreThoseOfFreshBlocks)
{
    for (const char* positions : {"rope", "xpos"}) {
        const BlockCase made =
            attentionCase({{"positions", std::string(positions)}, {"xpos_scale", 3.0}, {"window", std::int64_t{6}}});
        const auto block = build(made);
        const auto gradientOf = [](Block& of, const at::Tensor& x, Observer* observer) {
            const at::Tensor read = x.detach().clone().requires_grad_(true);
            const at::Tensor y = outputOf(of, read, {}, {.training = true, .observer = observer});
            y.square().sum().backward();
            return std::pair(y.detach(), read.grad());
        };
        for (const std::int64_t steps : {5, 5, 1, 7, 3, 7, 5}) // 7 are more than the window
            for (const bool watched : {false, true}) {
                Weights weights, others;
                const at::Tensor x =
                    at::randn({steps, 2, kWidth}, generatorOf(static_cast<std::uint64_t>(steps)), at::kDouble);
                const auto [y, dx] = gradientOf(*block, x, watched ? &weights : nullptr);
                const auto [fresh, dfresh] = gradientOf(*build(made), x, watched ? &others : nullptr);
                EXPECT_TRUE(y.equal(fresh)) << positions << ", " << steps << " steps";
                EXPECT_TRUE(dx.equal(dfresh)) << positions << ", " << steps << " steps";
            }
    }
}

TEST(Attention, XposStaysInTheRangeOfFp32)
{
    const BlockCase made =
        attentionCase({{"positions", std::string("xpos")}, {"xpos_scale", 2.0}, {"window", std::int64_t{256}}});
    const auto found = findings(made, {.steps = 16});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].where, "xpos_scale");
    EXPECT_THAT(found[0].sentence, ::testing::HasSubstr("over 256 steps xpos_scale must be at least 5"));
    EXPECT_EQ(infer(made).offer->second, ParamValue(5.0));
}

/// The state has room for both, whole sequences are steps one by one, and one size for both goes through the kernel.
TEST(Attention, KeysAndValuesMayHaveSizesOfTheirOwn)
{
    for (const auto& [keys, values] : {std::pair<std::int64_t, std::int64_t>{6, 9}, {18, 3}, {6, 6}}) {
        const BlockCase made = attentionCase({{"key_size", keys}, {"value_size", values}, {"window", std::int64_t{8}}});
        EXPECT_TRUE(infer(made).diagnostics.empty());
        const auto block = build(made);
        EXPECT_EQ(attentionWeight(*block, "in_proj_weight").sizes(),
                  (std::vector<std::int64_t>{2 * keys + values, kWidth}));
        EXPECT_EQ(attentionWeight(*block, "out_proj.weight").sizes(), (std::vector<std::int64_t>{kWidth, values}));
        EXPECT_EQ(block->initialState(2)[0].size(1), 7 * (keys + values + 1));
        const at::Tensor x = at::randn({8, 2, kWidth}, generatorOf(3), at::kDouble), y = outputOf(*block, x);
        Value state;
        for (std::int64_t t = 0; t < 8; ++t) {
            const auto outputs = block->forward({{x.narrow(0, t, 1)}, state, {}}, {});
            EXPECT_LT(difference(outputs[0][0][0], y[t]), 1e-12) << keys << " " << values << " " << t;
            state = outputs[1];
        }
    }
}

/// Projected before and behind it, attention that projects nothing gives what attention with the same matrices gives,
/// whole and step by step.
TEST(Attention, WithoutProjectionsTheHeadsReadXAsItIs)
{
    for (const char* positions : {"rope", "xpos", "none"})
        for (const auto& [keys, values] : {std::pair<std::int64_t, std::int64_t>{6, 9}, {6, 6}}) {
            const Params params{{"key_size", keys}, {"value_size", values}, {"positions", std::string(positions)}};
            const auto full = build(attentionCase(params));
            BlockCase made = attentionCase(params);
            made.params["projections"] = false;
            made.inputs["x"].width = 2 * keys + values;
            EXPECT_TRUE(infer(made).diagnostics.empty());
            EXPECT_EQ(infer(made).outputs.at("y").width, values);
            const auto bare = build(made);
            EXPECT_TRUE(bare->weights().empty());
            const at::Tensor x = at::randn({8, 2, kWidth}, generatorOf(3), at::kDouble);
            const auto weight = [&](const char* name) { return attentionWeight(*full, name); };
            const at::Tensor qkv = x.matmul(weight("in_proj_weight").t()) + weight("in_proj_bias");
            const at::Tensor read = outputOf(*bare, qkv);
            const at::Tensor y = read.matmul(weight("out_proj.weight").t()) + weight("out_proj.bias");
            EXPECT_LT(difference(y, outputOf(*full, x)), 1e-12) << positions;
            Value state;
            for (std::int64_t t = 0; t < 8; ++t) {
                const auto outputs = bare->forward({{qkv.narrow(0, t, 1)}, state, {}}, {});
                EXPECT_LT(difference(outputs[0][0][0], read[t]), 1e-12) << positions << " " << t;
                state = outputs[1];
            }
        }
}

TEST(Attention, WithoutProjectionsXHoldsAllThree)
{
    BlockCase made = attentionCase({{"projections", false}});
    made.inputs["x"].width = 20;
    const auto thirds = infer(made);
    ASSERT_EQ(thirds.diagnostics.size(), 1u);
    EXPECT_EQ(thirds.diagnostics[0].sentence,
              "without projections x holds queries, keys and values side by side, three "
              "equal parts; its width is 20");
    EXPECT_EQ(thirds.offer->first, "projections");
    made.params["key_size"] = std::int64_t{12};
    EXPECT_THAT(infer(made).diagnostics.at(0).sentence, ::testing::HasSubstr("2 key_size + value_size features"));
    made.inputs["x"].width = 30; // 12, 12 and 6
    EXPECT_TRUE(infer(made).diagnostics.empty());
}

TEST(Attention, HeadsDivideTheSizeOfKeysAndThatOfValues)
{
    const BlockCase made = attentionCase({{"value_size", std::int64_t{8}}});
    const auto found = infer(made);
    ASSERT_EQ(found.diagnostics.size(), 1u);
    EXPECT_EQ(found.diagnostics[0].sentence, "num_heads must divide value_size, 8; it is 3");
    EXPECT_EQ(found.offer->second, ParamValue(std::int64_t{2}));
}

/// Swapping two earlier steps changes nothing only where places are unknown.
TEST(Attention, OrderIsKnownByPositionsAlone)
{
    for (const char* positions : {"none", "rope", "xpos", "learned"}) {
        const auto block = build(attentionCase({{"positions", std::string(positions)}}));
        const at::Tensor x = at::randn({6, 2, kWidth}, generatorOf(3), at::kDouble);
        const at::Tensor swapped = at::cat({x.narrow(0, 1, 1), x.narrow(0, 0, 1), x.narrow(0, 2, 4)});
        const double change = difference(outputOf(*block, swapped)[5], outputOf(*block, x)[5]);
        EXPECT_EQ(change < 1e-12, std::string(positions) == "none") << positions;
    }
}

/// A batch that goes on where some sequences ended: a cleared row remembers nothing.
TEST(Attention, ARowOfZerosInTheStateIsAFreshSequence)
{
    const auto block = build(attentionCase({{"positions", std::string("learned")}}));
    const at::Tensor x = at::randn({5, 2, kWidth}, generatorOf(3), at::kDouble);
    Value state = block->forward({{x}, {}, {}}, {})[1];
    state[0] = state[0].clone();
    state[0][1].zero_();
    const at::Tensor y = outputOf(*block, x, state), fresh = outputOf(*block, x);
    EXPECT_LT(difference(y.select(1, 1), fresh.select(1, 1)), 1e-12);
    EXPECT_GT(difference(y.select(1, 0), fresh.select(1, 0)), 1e-3);
}

TEST(Attention, RemembersOnlyWhatSomebodyAsksFor)
{
    const auto block = build(attentionCase({}));
    const at::Tensor x = at::randn({5, 2, kWidth}, generatorOf(3), at::kDouble);
    const auto kept = block->forward({{x}, {}, {}}, {}), left = block->forward({{x}, {}, {}}, {.keepsState = false});
    EXPECT_TRUE(left[1].empty());
    EXPECT_EQ(difference(left[0][0], kept[0][0]), 0);
}

TEST(Attention, InBf16ProductsAreRoundedAndNothingElse)
{
    const auto block = build(attentionCase({}), 1, at::kFloat);
    const at::Tensor x = at::randn({20, 2, kWidth}, generatorOf(3), at::kFloat);
    const at::Tensor exact = outputOf(*block, x), rounded = outputOf(*block, x, {}, {.bf16 = true});
    EXPECT_EQ(rounded.scalar_type(), at::kFloat);
    EXPECT_GT(difference(rounded, exact), 0);
    EXPECT_LT(difference(rounded, exact), 3e-2);
}

TEST(Attention, LearnedPositionsEndWithTheirTable)
{
    const BlockCase made = attentionCase({{"positions", std::string("learned")}, {"max_positions", std::int64_t{8}}});
    EXPECT_TRUE(findings(made, {.steps = 8}).empty());
    const auto tooLong = findings(made, {.steps = 9});
    ASSERT_EQ(tooLong.size(), 1u);
    EXPECT_EQ(tooLong[0].where, "max_positions");
    EXPECT_EQ(tooLong[0].sentence, "the data has sequences of 9 steps; max_positions is 8");
    const auto carried = findings(made, {.steps = 8, .carried = true});
    ASSERT_EQ(carried.size(), 1u);
    EXPECT_EQ(carried[0].where, "positions");

    const auto block = build(made);
    const at::Tensor x = at::randn({8, 1, kWidth}, generatorOf(3), at::kDouble);
    const auto outputs = block->forward({{x}, {}, {}}, {});
    EXPECT_THROW(outputOf(*block, x.narrow(0, 0, 1), outputs[1]), c10::Error) << "a ninth step";
    EXPECT_THROW(outputOf(*block, at::cat({x, x})), c10::Error);
}

/// The check, sampling and looking know how long a sequence may be.
TEST(Attention, ASampleBeyondTheTableIsRefusedInWordsAndALookIsCut)
{
    DataCache data(builders());
    const Params params{{"positions", std::string("learned")}, {"max_positions", std::int64_t{20}}};
    const Graph graph = graphAround("attention", params);
    const CheckedGraph checked = checkAround(graph);
    ASSERT_TRUE(checked.runnable());
    EXPECT_EQ(checked.longest, (LengthLimit{20, "middle"}));
    const auto model = Model::build(graph, checked, registry(), builders(), 1).value();
    const auto text = data.open("copy", registry().find("copy")->withDefaults({}), "").value();
    const auto sample = [&](std::int64_t tokens) {
        return sampleText(*model, *text, {"", tokens, {.temperature = 0.8}, 1});
    };
    EXPECT_TRUE(sample(20));
    const auto refused = sample(21);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().place, "middle");
    EXPECT_THAT(refused.error().message, ::testing::HasSubstr("at most 20 steps"));

    ProbeText longer;
    longer.tokens.assign(30, 0);
    longer.characters.assign(30, "x");
    const ProbeFrame look = probe(*model, longer, {{"middle", "weights"}}, 0);
    EXPECT_EQ(look.characters.size(), 20u);
    EXPECT_EQ(look.signalFrames.at(0).steps, 20);
    EXPECT_EQ(attentionHeads(look.signalFrames.at(0)), 4);
}

TEST(Attention, HeadsThatDoNotFitOfferSomeThatDo)
{
    BlockCase made = attentionCase({});
    made.params.insert_or_assign("num_heads", std::int64_t{4}); // of 3 features
    const auto odd = findings(made, {});
    ASSERT_EQ(odd.size(), 1u);
    EXPECT_EQ(odd[0].sentence,
              "RoPE rotates pairs of features, so a head needs an even number of them; 12 by 4 heads is 3");
    EXPECT_EQ(infer(made).offer->second, ParamValue(std::int64_t{3}));
    made.params.insert_or_assign("num_heads", std::int64_t{5});
    EXPECT_EQ(infer(made).offer->second, ParamValue(std::int64_t{3}));
    made.inputs["x"].width = 7;
    EXPECT_EQ(infer(made).offer->second, ParamValue(std::int64_t{1})) << "and then no positions";
    made.params.insert_or_assign("num_heads", std::int64_t{1});
    EXPECT_EQ(infer(made).offer->second, ParamValue(std::string("none")));
}

/// Within the window, beyond it, and read on from a memory in pieces.
TEST(Attention, RelativePositionsAreTheFourTermsOfTransformerXl)
{
    const BlockCase made = attentionCase({{"positions", std::string("relative")}, {"window", std::int64_t{4}}});
    const auto block = build(made);
    const at::Tensor x = at::randn({7, 2, kWidth}, generatorOf(5), at::kDouble);
    const at::Tensor y = outputOf(*block, x).detach();
    for (std::int64_t b = 0; b < 2; ++b)
        EXPECT_LT(difference(y.select(1, b), relativelyByHand(*block, x.select(1, b), 3, 4)), 1e-12);
    Value state;
    std::vector<at::Tensor> pieces;
    for (const auto& [from, count] : {std::pair<std::int64_t, std::int64_t>{0, 3}, {3, 1}, {4, 3}}) {
        const auto outputs = block->forward({{x.narrow(0, from, count)}, state, {}}, {});
        pieces.push_back(outputs[0][0].detach());
        state = outputs[1];
    }
    EXPECT_LT(difference(at::cat(pieces), y), 1e-12);
}

TEST(Attention, RelativePositionsNeedAnEvenWidth)
{
    BlockCase made = attentionCase({{"positions", std::string("relative")}});
    made.inputs["x"].width = 9;
    const auto diagnostics = infer(made).diagnostics;
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics.front().where, "positions");
    EXPECT_THAT(diagnostics.front().sentence, ::testing::HasSubstr("the width of x must be even; it is 9"));
}

} // namespace unroll::nodes
