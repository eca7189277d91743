// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

at::Tensor outputOf(const BlockCase& made, const std::map<std::string, at::Tensor>& weights, const at::Tensor& x)
{
    const auto block = build(made);
    const at::NoGradGuard values;
    for (Weight& weight : block->weights())
        weight.tensor.copy_(weights.at(weight.name));
    return block->forward({{x}, {}, {}}, {})[0][0];
}

std::map<std::string, at::Tensor> weightsOf(const BlockCase& made)
{
    std::map<std::string, at::Tensor> all;
    for (const Weight& weight : build(made)->weights())
        all[weight.name] = weight.tensor.detach().clone();
    return all;
}

} // namespace

/// With one step of the rule it is Gated DeltaNet, weight by weight.
TEST(DeltaProduct, OfOneStepIsGatedDeltaNet)
{
    BlockCase product = casesOf("delta_product").front(), gated = casesOf("gated_delta_net").front();
    gated.inputs = product.inputs;
    for (const char* same : {"units", "num_heads", "kernel_size", "use_short_conv", "negative_eigenvalues"})
        gated.params[same] = product.params[same];
    product.params["num_householder"] = std::int64_t{1};
    product.params["use_forget_gate"] = true;
    at::Generator random = generatorOf(3);
    const at::Tensor x = at::randn({7, 2, product.inputs.at("x").width}, random, at::kDouble);
    const auto weights = weightsOf(gated);
    const at::Tensor want = outputOf(gated, weights, x), got = outputOf(product, weights, x);
    EXPECT_LT((got - want).abs().max().item<double>(), 1e-12);
}

} // namespace unroll::nodes
