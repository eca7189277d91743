// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace unroll::nodes {

namespace {

using namespace contract;

struct ShownByRwkv7 : Observer {
    std::map<std::string, at::Tensor> seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen[signal] = value.clone();
    }
};

struct SeenOfRwkv7 {
    std::vector<Value> outputs;
    at::Tensor v;
};

/// `share`: where it is not 0, what v0 is; far from 0 all of v is of one of both layers.
SeenOfRwkv7 ofValues(const BlockCase& made, const at::Tensor& x, const Value& first, double share)
{
    const auto block = build(made);
    const at::NoGradGuard values;
    for (const Weight& weight : block->weights())
        if (weight.name == "v0" && share != 0)
            weight.tensor.detach().fill_(share);
    ShownByRwkv7 observer;
    auto outputs = block->forward({{x}, {}, {}, first}, {.observer = &observer});
    return {std::move(outputs), observer.seen.at("v")};
}

} // namespace

/// Decays begin between exp(-e^{-1/2}) and 1, the same at every step, and the output at 0.
TEST(Rwkv7, BeginsWithDecaysOfManyLengthsAndWithoutAnOutput)
{
    const BlockCase made = freshCasesOf("rwkv7").front();
    const auto block = buildUnshaken(made, 1, at::kDouble);
    ShownByRwkv7 observer;
    at::Generator random = generatorOf(3);
    const at::Tensor x = at::randn({4, 2, made.inputs.at("x").width}, random, at::kDouble);
    const auto outputs = block->forward({{x}, {}, {}, {}}, {.observer = &observer});
    EXPECT_FALSE(outputs[0][0].any().item<bool>());
    const at::Tensor w = observer.seen.at("w"), kappa = observer.seen.at("kappa");
    EXPECT_GT(w.min().item<double>(), std::exp(-std::exp(-0.5)));
    EXPECT_LT(w.max().item<double>(), 1.0);
    EXPECT_LT((w - w[0]).abs().max().item<double>(), 1e-12) << "w1 begins at 0";
    const std::int64_t heads = observer.seen.at("S").size(2);
    EXPECT_LT((kappa.unflatten(2, {heads, -1}).norm(2, {-1}) - 1).abs().max().item<double>(), 1e-9);
}

/// The output v is what is stored; v0 says how much of it is v of the first layer.
TEST(Rwkv7, LaterLayersMixInTheValuesOfTheFirst)
{
    BlockCase made = casesOf("rwkv7").front();
    made.params["value_residual"] = true;
    const std::int64_t width = made.inputs.at("x").width;
    at::Generator random = generatorOf(3);
    const at::Tensor x = at::randn({4, 2, width}, random, at::kDouble);
    const at::Tensor other = at::randn({4, 2, width}, random, at::kDouble);
    made.inputs.erase("v_first");
    const SeenOfRwkv7 lower = ofValues(made, x, {}, 0);
    EXPECT_EQ(difference(lower.outputs[2][0], lower.v), 0);
    made.inputs["v_first"] = {.type = PortType::Sequence, .width = width};
    const SeenOfRwkv7 all = ofValues(made, x, {other}, 800), none = ofValues(made, x, {other}, -800);
    EXPECT_LT(difference(all.v, other), 1e-12);
    EXPECT_GT(difference(none.v, other), 1e-3);
    EXPECT_GT(difference(all.outputs[0][0], none.outputs[0][0]), 1e-6);
    EXPECT_EQ(difference(none.outputs[2][0], none.v), 0);
}

/// Said of a later layer that has no v_first; its fix is taken.
TEST(Rwkv7, WarnsOfALaterLayerThatMixesNoValues)
{
    BlockCase made = casesOf("rwkv7").front();
    const auto found = [&] { return infer(made).diagnostics; };
    const auto set = [&](std::int64_t layer, bool residual) {
        made.params["layers"] = std::int64_t{3};
        made.params["layer"] = layer;
        made.params["value_residual"] = residual;
    };
    made.inputs.erase("v_first");
    set(1, true);
    ASSERT_EQ(found().size(), 1u);
    EXPECT_EQ(found().front().severity, Severity::Warning);
    EXPECT_EQ(found().front().code, "values-unmixed");
    EXPECT_NE(found().front().sentence.find("v_first is unwired in layer 1"), std::string::npos);
    set(1, false);
    EXPECT_TRUE(found().empty());
    set(0, true);
    EXPECT_TRUE(found().empty());
    set(2, true);
    made.inputs["v_first"] = {.type = PortType::Sequence, .width = made.inputs.at("x").width};
    EXPECT_TRUE(found().empty());
}

} // namespace unroll::nodes
