// SPDX-License-Identifier: GPL-3.0-or-later
// Weights as a file and a seed see them, and numbers that depend on nothing but them.
#include "core/train/tensor_file.h"
#include "tests/contract/block_case.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

namespace unroll::contract {

namespace {

class Weights : public ::testing::TestWithParam<std::string> {};
/// Of blocks that round nothing: near the middle of two steps a value may be rounded either way.
class SmoothWeights : public Weights {};

void expectEqual(const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right)
{
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i)
        EXPECT_TRUE(at::equal(left[i], right[i]));
}

std::vector<at::Tensor> tensorsOf(const Block& block)
{
    std::vector<at::Tensor> tensors;
    for (const Weight& weight : block.weights())
        tensors.push_back(weight.tensor.detach());
    return tensors;
}

std::vector<at::Tensor> trainingPass(const BlockCase& blockCase, Block& block)
{
    at::Generator dropout = generatorOf(11);
    return floats(block.forward(inputsOf(blockCase, block), {.training = true, .dropout = &dropout}));
}

} // namespace

TEST_P(Weights, HaveNamesOfTheirOwn)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        std::set<std::string> names;
        const auto block = build(blockCase);
        for (const Weight& weight : block->weights()) {
            EXPECT_TRUE(names.insert(weight.name).second) << weight.name << " occurs twice";
            EXPECT_TRUE(weight.tensor.is_contiguous()) << weight.name;
        }
    }
}

TEST_P(Weights, SavedAndLoadedGiveTheSameNumbers)
{
    const std::string file = (std::filesystem::temp_directory_path() /
                              ("unroll_contract_" + GetParam() + std::to_string(getpid()) + ".safetensors"))
                                 .string();
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto first = build(blockCase, 1, at::kFloat), second = build(blockCase, 2, at::kFloat);
        if (first->weights().empty())
            continue;
        NamedTensors named;
        for (const Weight& weight : first->weights())
            named.emplace_back(weight.name, weight.tensor);
        ASSERT_TRUE(saveTensors(file, named));
        const auto loaded = loadTensors(file);
        ASSERT_TRUE(loaded);
        const at::NoGradGuard noGradient;
        for (Weight& weight : second->weights())
            weight.tensor.copy_(loaded->tensors.at(weight.name));
        const auto inputs = inputsOf(blockCase, *first, {.dtype = at::kFloat});
        expectEqual(floats(second->forward(inputs, {})), floats(first->forward(inputs, {})));
    }
    std::filesystem::remove(file);
}

TEST_P(Weights, ComeFromTheSeedAlone)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto first = buildUnshaken(blockCase, 3, at::kFloat), again = buildUnshaken(blockCase, 3, at::kFloat);
        expectEqual(tensorsOf(*first), tensorsOf(*again));
    }
}

TEST_P(Weights, SameSeedsGiveTheSameTrainingPass)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto first = build(blockCase), again = build(blockCase);
        expectEqual(trainingPass(blockCase, *first), trainingPass(blockCase, *again));
    }
}

TEST_P(SmoothWeights, OfSinglePrecisionGiveNearlyTheSameNumbers)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto exact = build(blockCase, 1, at::kDouble), single = build(blockCase, 1, at::kFloat);
        const auto inputs = inputsOf(blockCase, *single, {.dtype = at::kFloat});
        auto wide = inputs;
        for (Value& value : wide)
            for (at::Tensor& tensor : value)
                tensor = tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor;
        const at::NoGradGuard noGradient;
        for (std::size_t i = 0; i < exact->weights().size(); ++i)
            exact->weights()[i].tensor.copy_(single->weights()[i].tensor);
        const auto got = floats(single->forward(inputs, {})), want = floats(exact->forward(wide, {}));
        for (std::size_t i = 0; i < want.size(); ++i) {
            EXPECT_EQ(got[i].scalar_type(), at::kFloat);
            EXPECT_LT(difference(got[i], want[i]), 1e-5);
        }
    }
}

namespace {

/// How far bf16's products, of 8 bits, may lead away. A gate that passes its sum on, or turns signs round, passes on
/// the errors of the steps and layers before too, where a sigmoid shrinks them to a quarter.
double boundInBf16(const BlockCase& blockCase)
{
    const auto gate = blockCase.params.find("gate_activation");
    if (gate == blockCase.params.end())
        return 3e-2;
    for (const char* steep : {"tanh", "softsign", "hard_tanh"})
        if (gate->second == ParamValue(std::string(steep)))
            return 2e-1;
    return 3e-2;
}

} // namespace

TEST_P(SmoothWeights, WithProductsInBf16GiveNearlyTheSameNumbersInTheirOwnType)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto block = build(blockCase, 1, at::kFloat);
        const auto inputs = inputsOf(blockCase, *block, {.dtype = at::kFloat});
        const at::NoGradGuard noGradient;
        const auto want = floats(block->forward(inputs, {})), got = floats(block->forward(inputs, {.bf16 = true}));
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t i = 0; i < want.size(); ++i) {
            EXPECT_EQ(got[i].scalar_type(), at::kFloat);
            EXPECT_LT(difference(got[i], want[i]), boundInBf16(blockCase));
        }
    }
}

TEST_P(Weights, MeetInputsHoweverTheyLie)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto block = build(blockCase);
        const auto inputs = inputsOf(blockCase, *block);
        auto turned = inputs;
        for (Value& value : turned)
            for (at::Tensor& tensor : value)
                tensor = tensor.transpose(0, 1).contiguous().transpose(0, 1);
        const auto want = floats(block->forward(inputs, {})), got = floats(block->forward(turned, {}));
        for (std::size_t i = 0; i < want.size(); ++i)
            EXPECT_LT(difference(got[i], want[i]), 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Weights, ::testing::ValuesIn(computingBlocks()), blockName);
INSTANTIATE_TEST_SUITE_P(Blocks, SmoothWeights, ::testing::ValuesIn(smoothBlocks()), blockName);

} // namespace unroll::contract
