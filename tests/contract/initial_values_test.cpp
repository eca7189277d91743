// SPDX-License-Identifier: GPL-3.0-or-later
// The spread of fresh weights, block by block: as torch.nn, sru 2.6 and Keras-MML have it.
#include "core/check/ports.h"
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

#include <cmath>

namespace unroll::contract {

namespace {

constexpr std::int64_t kIn = 192, kOut = 256;

/// A block of some size with fresh weights.
std::unique_ptr<Block> fresh(const std::string& id, Params params, std::int64_t width = kIn)
{
    BlockCase made{registry().find(id), {}, {}};
    for (const char* size : {"units", "width"})
        if (made.spec->param(size) != nullptr)
            params.emplace(size, kOut);
    made.params = made.spec->withDefaults(params);
    for (const PortSpec& port : portsWith(*made.spec, made.params).inputs)
        if (port.type != PortType::State)
            made.inputs[port.name] = {.type = port.type, .width = width, .classes = 65};
    return buildUnshaken(made, 1, at::kDouble);
}

at::Tensor weightOf(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    ADD_FAILURE() << "no weight " << name;
    return {};
}

double largest(const at::Tensor& tensor)
{
    return tensor.abs().max().item<double>();
}

double deviation(const at::Tensor& tensor)
{
    return tensor.std().item<double>();
}

/// Drawn from U(-bound, bound).
void expectUniform(const at::Tensor& tensor, double bound)
{
    const double count = static_cast<double>(tensor.numel());
    EXPECT_LE(largest(tensor), bound);
    EXPECT_GT(largest(tensor), bound * (1 - 12 / count));
    EXPECT_NEAR(deviation(tensor), bound / std::sqrt(3.0), 4 * bound / std::sqrt(count));
    EXPECT_NEAR(tensor.mean().item<double>(), 0, 4 * bound / std::sqrt(3 * count));
}

void expectAll(const at::Tensor& tensor, double value)
{
    EXPECT_EQ(largest(tensor.sub(value)), 0);
}

} // namespace

TEST(InitialValues, OfRnnLstmAndGruAreTorchs)
{
    for (const char* block : {"rnn", "lstm", "gru"}) {
        SCOPED_TRACE(block);
        const auto made = fresh(block, {});
        for (const Weight& weight : made->weights()) {
            SCOPED_TRACE(weight.name);
            expectUniform(weight.tensor.detach(), 1 / std::sqrt(double{kOut}));
        }
    }
}

TEST(InitialValues, OfLinearAndHeadAreTorchs)
{
    for (const char* block : {"linear", "head"}) {
        SCOPED_TRACE(block);
        const auto made = fresh(block, {});
        for (const Weight& weight : made->weights()) {
            SCOPED_TRACE(weight.name);
            expectUniform(weight.tensor.detach(), 1 / std::sqrt(double{kIn}));
        }
    }
}

TEST(InitialValues, OfALinearDrawnNormalHaveItsDeviation)
{
    for (const double wanted : {0.02, 0.005}) {
        const Params params = {{"weights_initializer", std::string("normal")}, {"init_std", wanted}};
        const auto made = fresh("linear", params);
        EXPECT_NEAR(deviation(weightOf(*made, "weight")), wanted, 0.03 * wanted);
        EXPECT_GT(largest(weightOf(*made, "weight")), 3 * wanted);
        expectAll(weightOf(*made, "bias"), 0);
    }
    expectUniform(weightOf(*fresh("linear", {{"init_std", 0.005}}), "weight"), 1 / std::sqrt(double{kIn}));
}

TEST(TrainingRules, OfTheEmbeddingLeaveItsTableWithoutDecayWhereAsked)
{
    const auto ruleOf = [](bool decays) { return fresh("embedding", {{"weight_decay", decays}})->weights()[0].rule; };
    EXPECT_EQ(ruleOf(true), WeightRule{});
    EXPECT_EQ(ruleOf(false), (WeightRule{.decay = false}));
}

TEST(InitialValues, OfTheEmbeddingAreNormal)
{
    for (const double wanted : {1.0, 0.3}) {
        const at::Tensor weight = weightOf(*fresh("embedding", {{"init_std", wanted}}), "weight");
        EXPECT_NEAR(deviation(weight), wanted, 0.03 * wanted);
        EXPECT_NEAR(weight.mean().item<double>(), 0, 0.03 * wanted);
        EXPECT_GT(largest(weight), 3 * wanted);
    }
}

TEST(InitialValues, OfGrummlFollowItsInitializers)
{
    const auto bound = [](const std::string& rule, std::int64_t in, std::int64_t out) {
        const double glorot = 6 / static_cast<double>(in + out), he = 6 / static_cast<double>(in);
        return std::sqrt(rule == "glorot_uniform" ? glorot : rule == "he_uniform" ? he : he / 2);
    };
    for (const std::string rule : {"glorot_uniform", "he_uniform", "lecun_uniform"})
        for (const std::string bias : {"zeros", "ones"}) {
            SCOPED_TRACE(rule + " " + bias);
            const auto block = fresh("grumml", {{"weights_initializer", rule}, {"bias_initializer", bias}});
            expectUniform(weightOf(*block, "weight_fc"), bound(rule, kIn, 2 * kOut));
            expectUniform(weightOf(*block, "weight_g"), bound(rule, kIn, kOut));
            expectUniform(weightOf(*block, "weight_o"), bound(rule, kOut, kOut));
            expectAll(weightOf(*block, "gain_fc"), 1);
            for (const char* name : {"bias_fc", "bias_g", "bias_o"})
                expectAll(weightOf(*block, name), bias == "ones" ? 1 : 0);
        }
}

/// The parts of the weight that make u0, the gates, and where there is one the skip.
void expectSruParts(const Block& block, std::int64_t parts, double first, double gates, double skip)
{
    const at::Tensor weight = weightOf(block, "weight");
    const at::Tensor part = weight.view({parts, kOut, -1});
    expectUniform(part[0], first);
    expectUniform(part[1], gates);
    expectUniform(part[2], gates);
    if (parts == 4)
        expectUniform(part[3], skip);
}

TEST(InitialValues, OfSruAreThePackages)
{
    const double bound = std::sqrt(3.0 / kOut), half = std::sqrt(0.5);
    const auto usual = fresh("sru", {}, kOut);
    expectSruParts(*usual, 3, bound, bound * half, 0);
    expectUniform(weightOf(*usual, "weight_c"), std::sqrt(1.5));
    expectAll(weightOf(*usual, "bias"), 0);
    expectSruParts(*fresh("sru", {{"v1", true}}, kOut), 3, bound, bound, 0);
    const auto biased = fresh("sru", {{"highway_bias", -2.0}}, kOut);
    expectAll(weightOf(*biased, "bias").narrow(0, 0, kOut), 0);
    expectAll(weightOf(*biased, "bias").narrow(0, kOut, kOut), -2);
}

TEST(InitialValues, OfSruShrinkWithDropoutAndNorm)
{
    const double bound = std::sqrt(3.0 / kOut), half = std::sqrt(0.5);
    expectSruParts(*fresh("sru", {{"dropout", 0.36}}, kOut), 3, 0.8 * bound, bound * half, 0);
    expectSruParts(*fresh("sru", {{"rnn_dropout", 0.36}}, kOut), 3, 0.8 * bound, 0.8 * bound * half, 0);
    const auto normed = fresh("sru", {{"layer_norm", true}}, kOut);
    expectSruParts(*normed, 3, 0.1 * bound, 0.1 * bound * half, 0);
    expectAll(weightOf(*normed, "layer_norm.weight"), 1);
    expectAll(weightOf(*normed, "layer_norm.bias"), 0);
}

TEST(InitialValues, OfSrusSkipAreScaled)
{
    const double bound = std::sqrt(3.0 / kIn), half = std::sqrt(0.5);
    expectSruParts(*fresh("sru", {}), 4, bound, bound * half, bound);
    const double scale = std::sqrt(1 + 2 * std::exp(-1.0));
    expectSruParts(*fresh("sru", {{"highway_bias", -1.0}, {"rescale", true}}), 4, bound, bound * half, bound * scale);
    const auto factored = fresh("sru", {{"projection_size", std::int64_t{48}}});
    const double inner = std::sqrt(3.0 / 48);
    expectSruParts(*factored, 4, inner, inner * half, inner);
    expectUniform(weightOf(*factored, "weight_proj"), bound);
}

} // namespace unroll::contract
