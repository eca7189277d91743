// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/conv1d.h>
#include <gtest/gtest.h>

#include <optional>

namespace unroll::contract {

/// W_0 to W_{k-1} turned round are the kernel of torch's convolution over the sequence behind its state.
TEST(CausalConv, IsTorchsConvolutionPaddedOnTheLeft)
{
    for (const BlockCase& blockCase : casesOf("causal_conv")) {
        SCOPED_TRACE(blockCase.text());
        const auto block = build(blockCase);
        const auto inputs = inputsOf(blockCase, *block, {.steps = 9, .mask = false});
        const at::Tensor x = inputs[0].front(), state = inputs[1].front();
        const std::int64_t in = x.size(2), dilation = std::get<std::int64_t>(blockCase.params.at("dilation"));
        const bool depthwise = std::get<bool>(blockCase.params.at("depthwise"));
        const at::Tensor weight = block->weights()[0].tensor;
        const at::Tensor kernel =
            depthwise ? weight.flip(1).unsqueeze(1) : weight.unflatten(1, {-1, in}).flip(1).transpose(1, 2);
        std::optional<at::Tensor> bias;
        if (block->weights().size() > 1)
            bias = block->weights()[1].tensor;
        const at::Tensor all = at::cat({state.unflatten(1, {-1, in}).transpose(0, 1), x}).permute({1, 2, 0});
        const at::Tensor want = at::conv1d(all, kernel, bias, at::IntArrayRef{1}, at::IntArrayRef{0},
                                           at::IntArrayRef{dilation}, depthwise ? in : 1)
                                    .permute({2, 0, 1});
        EXPECT_LT(difference(block->forward(inputs, {})[0][0], want), 1e-12);
    }
}

} // namespace unroll::contract
