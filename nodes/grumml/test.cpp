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
