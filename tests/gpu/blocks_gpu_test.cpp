// SPDX-License-Identifier: GPL-3.0-or-later
// Every block gives on a GPU what it gives on the CPU: outputs, last states and all gradients, in double, where blocks
// that round choose the same codes. Dropout draws other numbers there and is left out.
#include "tests/contract/block_case.h"
#include "tests/gpu/gpu.h"

#include <ATen/ops/randn.h>

#include <algorithm>

namespace unroll::contract {

namespace {

class OnGpu : public ::testing::TestWithParam<std::string> {};

/// Outputs, then the gradients of inputs and weights.
std::vector<at::Tensor> numbers(const BlockCase& blockCase, const InputOptions& options, at::Device device,
                                at::ScalarType type = at::kDouble)
{
    const auto block = build(blockCase);
    auto inputs = inputsOf(blockCase, *block, options);
    for (Weight& weight : block->weights())
        weight.tensor.set_data(weight.tensor.detach().to(device, type));
    std::vector<at::Tensor> leaves;
    for (Value& value : inputs)
        for (at::Tensor& tensor : value) {
            tensor = tensor.to(device, tensor.is_floating_point() ? type : tensor.scalar_type());
            if (tensor.is_floating_point())
                leaves.push_back(tensor.set_requires_grad(true));
        }
    for (const Weight& weight : block->weights())
        if (weight.trained)
            leaves.push_back(weight.tensor);
    std::vector<at::Tensor> found = floats(block->forward(inputs, {.training = false}));
    at::Generator random = generatorOf(99);
    at::Tensor total;
    for (const at::Tensor& output : found) {
        const at::Tensor part = output.mul(at::randn(output.sizes(), random, at::kDouble).to(device, type)).sum();
        total = total.defined() ? total.add(part) : part;
    }
    if (total.requires_grad()) // what has neither inputs nor weights of numbers gives none
        total.backward();
    for (const at::Tensor& leaf : leaves)
        found.push_back(leaf.grad());
    return found;
}

void expectSame(const BlockCase& blockCase, const InputOptions& options)
{
    const auto want = numbers(blockCase, options, at::kCPU), got = numbers(blockCase, options, at::kCUDA);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
        ASSERT_EQ(got[i].defined(), want[i].defined()) << "tensor " << i;
        if (want[i].defined()) {
            EXPECT_LT(difference(got[i].cpu(), want[i]), 1e-9) << "tensor " << i;
        }
    }
}

/// 33, or half of what the block has positions for: a state may hold some of them.
std::int64_t stepsOf(const BlockCase& blockCase)
{
    const auto& longest = blockCase.spec->longest;
    return longest ? std::min<std::int64_t>(33, longest(blockCase.params).value_or(66) / 2) : 33;
}

TEST_P(OnGpu, GivesWhatTheCpuGives)
{
    UNROLL_NEEDS_GPU();
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        expectSame(blockCase, {.steps = stepsOf(blockCase), .sequences = 5});
        expectSame(blockCase, {.steps = 1, .sequences = 1, .mask = false});
    }
}

/// In single precision against double on the CPU: within 1e-5 of the size of a tensor, or four times what the CPU's own
/// single precision is off where that is more (long products of what has no bound). TF32 would be off by 1e-3.
TEST_P(OnGpu, GivesSinglePrecisionInSinglePrecision)
{
    UNROLL_NEEDS_GPU();
    if (registry().find(GetParam())->straightThrough)
        GTEST_SKIP() << "which integer a number is rounded to may hang on its last bit";
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const InputOptions options{.steps = stepsOf(blockCase), .sequences = 5};
        const auto exact = numbers(blockCase, options, at::kCPU);
        const auto cpu = numbers(blockCase, options, at::kCPU, at::kFloat);
        const auto gpu = numbers(blockCase, options, at::kCUDA, at::kFloat);
        ASSERT_EQ(gpu.size(), exact.size());
        for (std::size_t i = 0; i < exact.size(); ++i) {
            ASSERT_EQ(gpu[i].defined(), exact[i].defined()) << "tensor " << i;
            if (exact[i].defined()) {
                EXPECT_LT(difference(gpu[i].cpu(), exact[i]), std::max(1e-5, 4 * difference(cpu[i], exact[i])))
                    << "tensor " << i;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, OnGpu, ::testing::ValuesIn(computingBlocks()),
                         [](const auto& tested) { return tested.param; });

} // namespace

} // namespace unroll::contract
