// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/rms_norm.h"
#include "nodes/shared/ternary_dense.h"
#include "tests/contract/block_case.h"
#include "tests/contract/graph_around.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <tuple>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase grummlCase(const Params& params)
{
    BlockCase made = casesOf("grumml").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

at::Tensor grummlWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

/// One of the four ternary layers of paper and mmfreelm.
at::Tensor grummlLayer(const Block& block, const std::string& name, const at::Tensor& x, double epsilon)
{
    return ternaryDense(x, grummlWeight(block, "gain_" + name), grummlWeight(block, "weight_" + name),
                        grummlWeight(block, "bias_" + name), {.epsilon = epsilon});
}

struct Walk {
    at::Tensor y, last;
};

/// The equations of both forms, one step after the other; `bound` undefined: none.
Walk stepByStep(const Block& block, const std::vector<Value>& inputs, bool mmfreelm, const at::Tensor& bound)
{
    const double epsilon = mmfreelm ? 1e-6 : 1e-8;
    const at::Tensor x = inputs[0][0], mask = inputs[2][0];
    at::Tensor h = inputs[1][0], y = at::zeros({x.size(0), x.size(1), h.size(1)}, at::kDouble);
    for (std::int64_t t = 0; t < x.size(0); ++t) {
        at::Tensor f = at::sigmoid(grummlLayer(block, "f", x[t], epsilon));
        if (bound.defined())
            f = bound + (1 - bound) * f;
        const at::Tensor c = at::silu(grummlLayer(block, "c", x[t], epsilon));
        const at::Tensor g = grummlLayer(block, "g", x[t], epsilon);
        const at::Tensor real = mask[t].unsqueeze(-1);
        h = at::where(real, f * h + (1 - f) * c, h);
        const at::Tensor u =
            mmfreelm ? rmsNorm(g, grummlWeight(block, "gate_norm"), 1e-6) * (h * at::sigmoid(h)) : at::sigmoid(g) * h;
        y[t] = at::where(real, grummlLayer(block, "o", u, epsilon), 0);
    }
    return {y, h};
}

void expectWalk(const BlockCase& made, bool mmfreelm, const std::function<at::Tensor(const Block&)>& boundOf)
{
    SCOPED_TRACE(made.text());
    const auto block = build(made);
    const auto inputs = inputsOf(made, *block, {.steps = 9});
    const auto outputs = block->forward(inputs, {});
    const Walk want = stepByStep(*block, inputs, mmfreelm, boundOf(*block));
    EXPECT_LT(difference(outputs[0][0], want.y), 1e-12);
    EXPECT_LT(difference(outputs[1][0], want.last), 1e-12);
}

} // namespace

TEST(Grumml, ThePapersFormIsItsEquations)
{
    for (const bool bias : {false, true})
        expectWalk(grummlCase({{"variant", std::string("paper")}, {"use_bias", bias}}), false,
                   [](const Block&) { return at::Tensor(); });
}

TEST(Grumml, MmfreelmsFormIsItsEquations)
{
    const auto none = [](const Block&) { return at::Tensor(); };
    expectWalk(grummlCase({{"variant", std::string("mmfreelm")}}), true, none);
    for (const std::int64_t layer : {1, 3})
        expectWalk(grummlCase({{"variant", std::string("mmfreelm")}, {"layer", layer}, {"layers", std::int64_t{5}}}),
                   true, [&](const Block& block) {
                       const at::Tensor shares = at::softmax(grummlWeight(block, "lower_bound"), 0);
                       at::Tensor bound = shares[1];
                       for (std::int64_t i = 2; i <= layer; ++i)
                           bound = bound + shares[i];
                       return bound;
                   });
}

/// Its table begins at 0, so each layer has an equal share: layer / layers.
TEST(Grumml, MmfreelmsLaterLayersBeginByForgettingLess)
{
    const BlockCase made =
        grummlCase({{"variant", std::string("mmfreelm")}, {"layer", std::int64_t{3}}, {"layers", std::int64_t{4}}});
    const auto block = buildUnshaken(made, 1, at::kDouble);
    struct Forget : Observer {
        at::Tensor f;
        bool wants(const std::string&, const std::string& signal) const override { return signal == "f"; }
        void show(const std::string&, const std::string&, const at::Tensor& value) override { f = value; }
    } seen;
    block->forward(inputsOf(made, *block), {.observer = &seen, .node = "n"});
    ASSERT_TRUE(seen.f.defined());
    EXPECT_GE(seen.f.min().item<double>(), 0.75);
    EXPECT_LE(seen.f.max().item<double>(), 1);
}

TEST(Grumml, MmfreelmsLayersBeginSmall)
{
    const BlockCase made =
        grummlCase({{"variant", std::string("mmfreelm")}, {"weights_initializer", std::string("mmfreelm")}});
    const auto block = buildUnshaken(made, 1, at::kDouble);
    const double bound = std::exp2(-2.5) * std::sqrt(6.0 / 12); // units 6, of as many
    const at::Tensor weight = grummlWeight(*block, "weight_o");
    EXPECT_LE(weight.abs().max().item<double>(), bound);
    EXPECT_GT(weight.abs().max().item<double>(), 0.6 * bound);
}

TEST(Grumml, ALayerBeyondTheLayersIsRefused)
{
    const Params params = {{"layer", std::int64_t{4}}, {"layers", std::int64_t{4}}};
    EXPECT_TRUE(infer(grummlCase(params)).diagnostics.empty()) << "the keras form has no such places";
    BlockCase made = grummlCase(params);
    made.params["variant"] = std::string("mmfreelm");
    const auto diagnostics = infer(made).diagnostics;
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics.front().where, "layer");
    EXPECT_THAT(diagnostics.front().sentence, ::testing::HasSubstr("must be below layers = 4"));
}

TEST(Grumml, TheTableOfBoundsIsNoMatrix)
{
    BlockCase made = grummlCase({{"variant", std::string("mmfreelm")}, {"layer", std::int64_t{1}}});
    made.params["weights_l2"] = 0.1;
    const auto block = build(made);
    for (const Weight& weight : block->weights())
        EXPECT_EQ(weight.rule.l2 > 0, weight.name.starts_with("weight_")) << weight.name;
}

TEST(Grumml, HeadsThatDoNotDivideAreRefusedInThoseWords)
{
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
    BlockCase narrow = casesOf("grumml").front();
    narrow.inputs["x"].width = 1;
    const auto diagnostics = infer(narrow).diagnostics;
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics.front().severity, Severity::Warning);
    EXPECT_EQ(diagnostics.front().code, "one-feature");
}

TEST(Grumml, AStateOfOneNumberIsWarnedOfWhereItIsNormed)
{
    for (const auto& [variant, fully, warned] :
         {std::tuple("keras", false, false), {"keras", true, true}, {"paper", false, true}}) {
        BlockCase narrow = grummlCase({{"units", std::int64_t{1}},
                                       {"num_heads", std::int64_t{1}},
                                       {"variant", std::string(variant)},
                                       {"fully_mml", fully}});
        narrow.inputs.erase("state");
        const auto diagnostics = infer(narrow).diagnostics;
        ASSERT_EQ(diagnostics.size(), warned ? 1u : 0u) << variant << fully;
        if (warned) {
            EXPECT_EQ(diagnostics.front().where, "units");
        }
    }
}

} // namespace unroll::nodes
