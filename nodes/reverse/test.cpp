// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

constexpr std::int64_t kSteps = 7, kSequences = 3, kIn = 5, kUnits = 6;

/// Lengths 7, 4 and 1.
at::Tensor lengthsMask()
{
    const at::Tensor lengths = at::tensor({7, 4, 1}, at::kInt);
    return at::tensor({0, 1, 2, 3, 4, 5, 6}, at::kInt).unsqueeze(1).lt(lengths);
}

at::Tensor reversed(const at::Tensor& x, const Value& mask)
{
    BlockCase made{registry().find("reverse"), {}, {{"x", {.type = PortType::Sequence, .width = x.size(2)}}}};
    if (!mask.empty())
        made.inputs["mask"] = {.type = PortType::Mask};
    return build(made)->forward({{x}, mask}, {}).front().front();
}

BlockCase cellCase(const std::string& block, bool bothWays)
{
    BlockCase made{registry().find(block), registry().find(block)->withDefaults({{"units", kUnits}}), {}};
    made.inputs["x"] = {.type = PortType::Sequence, .width = kIn};
    if (bothWays)
        made.params["bidirectional"] = true;
    return made;
}

at::Tensor weightOf(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor;
    return {};
}

/// Of a block that reads both ways the weights of one direction: those with _reverse, or the direction's share.
at::Tensor shareOf(const Block& both, const Weight& weight, std::int64_t direction)
{
    if (const at::Tensor back = weightOf(both, weight.name + "_reverse"); back.defined())
        return direction == 0 ? weightOf(both, weight.name) : back;
    const at::Tensor all = weightOf(both, weight.name).detach();
    // sru: rows direction by direction; of weight_c and bias the gates come first, and within them the directions.
    return all.dim() == 2 ? all.chunk(2)[static_cast<std::size_t>(direction)]
                          : all.view({2, 2, kUnits}).select(1, direction).reshape({-1});
}

std::unique_ptr<Block> oneWay(const std::string& block, const Block& both, std::int64_t direction)
{
    auto cell = build(cellCase(block, false));
    const at::NoGradGuard guard;
    for (Weight& weight : cell->weights())
        weight.tensor.copy_(shareOf(both, weight, direction));
    return cell;
}

at::Tensor outputOf(Block& cell, const at::Tensor& x, const Value& mask)
{
    return cell.forward({{x}, {}, mask}, {}).front().front();
}

class BothWays : public ::testing::TestWithParam<std::string> {};

} // namespace

TEST(Reverse, TurnsRealStepsRoundAndLeavesPaddingWhereItIs)
{
    const at::Tensor x = at::tensor({1.0, 5.0, 2.0, 6.0, 3.0, 7.0}, at::kDouble).view({3, 2, 1});
    const at::Tensor plain = at::tensor({3.0, 7.0, 2.0, 6.0, 1.0, 5.0}, at::kDouble).view({3, 2, 1});
    EXPECT_TRUE(reversed(x, {}).equal(plain));
    const at::Tensor mask = at::tensor({1, 1, 1, 0, 0, 1}, at::kInt).to(at::kBool).view({3, 2});
    const at::Tensor masked = at::tensor({2.0, 7.0, 1.0, 0.0, 0.0, 5.0}, at::kDouble).view({3, 2, 1});
    EXPECT_TRUE(reversed(x, {mask}).equal(masked)) << "padding in between keeps its place too";
    EXPECT_TRUE(reversed(x, {mask.zero_()}).equal(at::tensor({0.0}, at::kDouble).expand_as(x)));
}

TEST(Reverse, TwiceIsTheSequence)
{
    const at::Tensor x = at::randn({kSteps, kSequences, kIn}, at::kDouble), mask = lengthsMask();
    EXPECT_TRUE(reversed(reversed(x, {}), {}).equal(x));
    EXPECT_TRUE(reversed(reversed(x, {mask}), {mask}).equal(x * mask.unsqueeze(-1)));
}

/// Reverse -> cell -> Reverse beside the cell is what blocks that read both ways do inside, padding or not.
TEST_P(BothWays, AreACellAndOneBetweenTwoReverses)
{
    const auto both = build(cellCase(GetParam(), true));
    const auto there = oneWay(GetParam(), *both, 0), back = oneWay(GetParam(), *both, 1);
    const at::Tensor x = at::randn({kSteps, kSequences, kIn}, at::kDouble);
    for (const Value& mask : {Value{}, Value{lengthsMask()}}) {
        SCOPED_TRACE(mask.empty() ? "no mask" : "mask");
        const at::Tensor fromEnd = reversed(outputOf(*back, reversed(x, mask), mask), mask);
        const at::Tensor joined = at::cat({outputOf(*there, x, mask), fromEnd}, -1);
        EXPECT_LT(difference(joined, outputOf(*both, x, mask)), 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(Cells, BothWays, ::testing::Values("rnn", "lstm", "gru", "sru"), blockName);

} // namespace unroll::contract
