// SPDX-License-Identifier: GPL-3.0-or-later
// The two ways to take a product: at::linear, and oneDNN where that is ahead (nodes/shared/onednn_product.h). Both against at::linear in fp64.
#include "nodes/shared/onednn_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>

#include <gtest/gtest.h>

namespace unroll::nodes {
namespace {

constexpr double kBound = 1e-5; ///< of the largest element

void expectNear(const at::Tensor& got, const at::Tensor& exact)
{
    ASSERT_EQ(got.sizes(), exact.sizes());
    EXPECT_TRUE(got.is_contiguous());
    EXPECT_LE((got.to(at::kDouble) - exact).abs().max().item<double>(), kBound * exact.abs().max().item<double>());
}

struct Product {
    at::Tensor x, weight, bias;

    Product as(at::ScalarType type) const
    {
        const auto leaf = [&](const at::Tensor& tensor) {
            return tensor.defined() ? tensor.detach().clone().to(type).requires_grad_(true) : tensor;
        };
        return {leaf(x), leaf(weight), leaf(bias)};
    }
};

void expectTheNumbersOfLinear(const Product& values)
{
    const Product exact = values.as(at::kDouble), single = values.as(at::kFloat);
    const auto bias = exact.bias.defined() ? std::optional(exact.bias) : std::nullopt;
    const at::Tensor want = at::linear(exact.x, exact.weight, bias);
    const at::Tensor got = oneDnnProduct(single.x, single.weight, single.bias);
    expectNear(got.detach(), want.detach());
    const at::Tensor g = at::randn(want.sizes(), at::kFloat);
    got.backward(g);
    want.backward(g.to(at::kDouble));
    expectNear(single.x.grad(), exact.x.grad());
    expectNear(single.weight.grad(), exact.weight.grad());
    if (bias)
        expectNear(single.bias.grad(), exact.bias.grad());
}

TEST(OneDnnProduct, GivesTheNumbersOfLinearAndTheirGradients)
{
    for (const auto& [in, out] : {std::pair{1, 1}, {7, 3}, {64, 65}, {129, 256}})
        for (const bool biased : {false, true}) {
            const at::Tensor bias = biased ? at::randn({out}, at::kDouble) : at::Tensor();
            expectTheNumbersOfLinear({at::randn({5, 7, in}, at::kDouble), at::randn({out, in}, at::kDouble), bias});
            expectTheNumbersOfLinear({at::randn({33, in}, at::kDouble), at::randn({out, in}, at::kDouble), bias});
        }
}

TEST(OneDnnProduct, TakesFactorsAsTheyLie)
{
    const at::Tensor x = at::randn({7, 33, 24}, at::kDouble).transpose(0, 1).narrow(2, 3, 16);
    expectTheNumbersOfLinear({x, at::randn({16, 10}, at::kDouble).t(), {}});
}

TEST(OneDnnProduct, GivesTheSameBitsAgain)
{
    const Product values{at::randn({768, 256}), at::randn({512, 256}), at::randn({512})};
    const at::Tensor g = at::randn({768, 512});
    std::vector<at::Tensor> before;
    for (int turn = 0; turn < 2; ++turn) {
        const Product own = values.as(at::kFloat);
        const at::Tensor y = oneDnnProduct(own.x, own.weight, own.bias);
        y.backward(g);
        const std::vector<at::Tensor> numbers{y.detach(), own.x.grad(), own.weight.grad(), own.bias.grad()};
        for (std::size_t i = 0; i < before.size(); ++i)
            EXPECT_TRUE(numbers[i].equal(before[i])) << i;
        before = numbers;
    }
}

TEST(OneDnnProduct, IsForSinglePrecisionOfSomeSize)
{
    const at::Tensor weight = at::randn({8, 8});
    EXPECT_FALSE(oneDnnPays(at::randn({64, 8}, at::kDouble), weight.to(at::kDouble)));
    EXPECT_FALSE(oneDnnPays(at::randn({1, 8}), weight));
    EXPECT_EQ(oneDnnPays(at::randn({64, 8}), weight), oneDnnPays(at::randn({4, 16, 8}), weight));
}

} // namespace
} // namespace unroll::nodes
