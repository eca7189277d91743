// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase cfcCase(const Params& params, std::int64_t spans)
{
    BlockCase made = casesOf("cfc").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    if (spans > 0) {
        made.params["time_spans"] = true;
        made.inputs["dt"] = {.type = PortType::Sequence, .width = spans};
    }
    return made;
}

at::Tensor readByCfc(Block& block, const at::Tensor& x, const at::Tensor& spans)
{
    return block.forward({{x}, {}, {}, spans.defined() ? Value{spans} : Value{}}, {})[0][0];
}

} // namespace

TEST(Cfc, WithoutTimesEveryStepTakesOne)
{
    for (const std::string mode : {"default", "no_gate", "pure"}) {
        const BlockCase made = cfcCase({{"mode", mode}}, 1);
        const auto block = build(made);
        const at::Tensor x = at::randn({7, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble);
        const at::Tensor ones = at::ones({7, 2, 1}, at::kDouble);
        EXPECT_EQ(difference(readByCfc(*block, x, ones), readByCfc(*block, x, {})), 0) << mode;
        EXPECT_GT(difference(readByCfc(*block, x, ones * 3), readByCfc(*block, x, {})), 1e-4) << mode;
    }
}

/// The solution stays at A, once long enough has passed, whatever came before.
TEST(Cfc, AfterALongTimeThePureSolutionRests)
{
    const BlockCase made = cfcCase({{"mode", std::string("pure")}}, 1);
    const auto block = build(made);
    const at::Tensor x = at::randn({3, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble);
    const at::Tensor y = readByCfc(*block, x, at::ones({3, 2, 1}, at::kDouble) * 1e7);
    EXPECT_LT(difference(y, block->weights().back().tensor.detach().expand_as(y)), 1e-12);
}

TEST(Cfc, ATimeForEachUnitMayBeTheSameForAll)
{
    const BlockCase made = cfcCase({}, 6);
    const auto block = build(made);
    const at::Tensor x = at::randn({5, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble);
    const at::Tensor spans = at::randn({5, 2, 1}, generatorOf(4), at::kDouble).abs();
    EXPECT_LT(difference(readByCfc(*block, x, spans.repeat({1, 1, 6})), readByCfc(*block, x, spans)), 1e-14);
}

} // namespace unroll::nodes
