// SPDX-License-Identifier: GPL-3.0-or-later
// Dense-like blocks share one group of parameters: how their weights begin, and what they are held to.
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace unroll::contract {

namespace {

/// Those with a penalty on their matrices.
std::vector<std::string> denseBlocks()
{
    return blocksWhere([](const BlockSpec& spec) { return spec.param("weights_l1") != nullptr; });
}

bool hasChoices(const ParamSpec* param, const std::vector<std::string>& wanted)
{
    return param != nullptr && std::all_of(wanted.begin(), wanted.end(),
                                           [&](const std::string& choice) { return param->choice(choice) != nullptr; });
}

} // namespace

TEST(DenseLike, BlocksAreAllThatAreCalledSo)
{
    const std::vector<std::string> wanted = {
        "bce",      "causal_conv", "dense_mml",   "dilated_conv", "gate",
        "glu",      "grumml",      "head",        "linear",       "lrumml",
        "min_lstm", "mingru",      "module_conv", "mse",          "multiplicative_dense",
        "qrnn",     "sparse_ffn",  "window_mlp"};
    std::vector<std::string> found = denseBlocks();
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, wanted);
}

TEST(DenseLike, BlocksShareInitialisersPenaltiesAndConstraints)
{
    const std::vector<std::string> constraints = {"none", "max_norm", "non_negative", "unit_norm", "min_max_norm"};
    for (const std::string& id : denseBlocks()) {
        SCOPED_TRACE(id);
        const BlockSpec& spec = *registry().find(id);
        EXPECT_TRUE(hasChoices(spec.param("weights_initializer"),
                               {"glorot_uniform", "he_uniform", "lecun_uniform", "glorot_normal", "he_normal",
                                "lecun_normal", "orthogonal", "normal"}));
        EXPECT_TRUE(spec.param("bias_init") != nullptr ||
                    hasChoices(spec.param("bias_initializer"), {"zeros", "ones"}));
        for (const char* rule : {"weights_l1", "weights_l2", "weights_orthogonal", "weights_orthogonal_mode", "bias_l1",
                                 "bias_l2", "max_norm", "bias_max_norm", "min_norm", "norm_rate", "weights_norm"})
            EXPECT_NE(spec.param(rule), nullptr) << rule;
        EXPECT_TRUE(hasChoices(spec.param("weights_constraint"), constraints));
        EXPECT_TRUE(hasChoices(spec.param("bias_constraint"), constraints));
    }
}

TEST(DenseLike, BlocksRefuseNormsThatCross)
{
    for (const std::string& id : denseBlocks()) {
        SCOPED_TRACE(id);
        BlockCase made = casesOf(id).front();
        const std::size_t before = infer(made).diagnostics.size();
        made.params["bias_constraint"] = std::string("min_max_norm");
        made.params["min_norm"] = 1.5;
        EXPECT_EQ(infer(made).diagnostics.size(), before) << "below max_norm, 2";
        made.params["bias_max_norm"] = 0.5;
        const auto found = infer(made);
        ASSERT_EQ(found.diagnostics.size(), before + 1);
        EXPECT_EQ(found.diagnostics.back().where, "min_norm");
        EXPECT_EQ(found.diagnostics.back().sentence, "min_norm must be at most bias_max_norm, 0.5; it is 1.5");
        EXPECT_EQ(found.offer->second, ParamValue(0.5));
    }
}

} // namespace unroll::contract
