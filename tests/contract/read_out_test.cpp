// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks with a loss may leave their linear layer out, for networks wired by hand. What they compare then is what comes
// in; the numbers are held against the definition like those of any other option.
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

class ReadOuts : public ::testing::TestWithParam<std::string> {};

std::int64_t widthOfTargets(const BlockCase& made)
{
    const Shape& targets = made.inputs.at("targets");
    return targets.type == PortType::Targets ? targets.classes : targets.width;
}

} // namespace

TEST_P(ReadOuts, WithoutALayerMustBeAsWideAsTheTargets)
{
    BlockCase made = casesOf(GetParam()).front();
    made.params["readout"] = std::string("none");
    ASSERT_NE(made.inputs.at("x").width, widthOfTargets(made));
    const Inferred refused = infer(made);
    ASSERT_EQ(refused.diagnostics.size(), 1u);
    EXPECT_EQ(refused.diagnostics.front().where, "readout");
    EXPECT_EQ(refused.offer, std::pair(std::string("readout"), ParamValue(std::string("linear"))));
    made.inputs["x"].width = widthOfTargets(made);
    EXPECT_TRUE(infer(made).diagnostics.empty());
}

TEST_P(ReadOuts, WithoutALayerCompareWhatComesIn)
{
    BlockCase made = casesOf(GetParam()).front();
    made.params["readout"] = std::string("none");
    made.inputs["x"].width = widthOfTargets(made);
    EXPECT_EQ(costOf(made).parameters, 0);
    const auto block = build(made);
    EXPECT_TRUE(block->weights().empty());
    auto inputs = inputsOf(made, *block);
    const at::Tensor x = inputs[0].front().set_requires_grad(true);
    const auto outputs = block->forward(inputs, {});
    EXPECT_TRUE(outputs[1][0].equal(x));
    outputs[0][0].backward();
    EXPECT_GT(x.grad().abs().sum().item<double>(), 0);
}

INSTANTIATE_TEST_SUITE_P(Blocks, ReadOuts, ::testing::ValuesIn(blocksWhere([](const BlockSpec& spec) {
                             return spec.param("readout") != nullptr;
                         })),
                         blockName);

} // namespace unroll::contract
