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
    const std::vector<std::string> constraints = {"none", "max_norm", "non_negative", "unit_norm"};
    for (const std::string& id : denseBlocks()) {
        SCOPED_TRACE(id);
        const BlockSpec& spec = *registry().find(id);
        EXPECT_TRUE(hasChoices(spec.param("weights_initializer"),
                               {"glorot_uniform", "he_uniform", "lecun_uniform", "glorot_normal", "he_normal",
                                "lecun_normal", "orthogonal", "normal"}));
        EXPECT_TRUE(spec.param("bias_init") != nullptr ||
                    hasChoices(spec.param("bias_initializer"), {"zeros", "ones"}));
        for (const char* penalty : {"weights_l1", "weights_l2", "bias_l1", "bias_l2", "max_norm", "bias_max_norm"})
            EXPECT_NE(spec.param(penalty), nullptr) << penalty;
        EXPECT_TRUE(hasChoices(spec.param("weights_constraint"), constraints));
        EXPECT_TRUE(hasChoices(spec.param("bias_constraint"), constraints));
    }
}

} // namespace unroll::contract
