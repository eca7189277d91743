// SPDX-License-Identifier: GPL-3.0-or-later
// Dense products by every multiplier, against fp64.
#include "core/linalg/products.h"

#include "core/linalg/exact_test.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <c10/util/Exception.h>

#include <gtest/gtest.h>
#include <thread>
#include <torch/csrc/autograd/autograd.h>
#include <vector>

namespace unroll::linalg {
namespace {

void expectTheThreeProducts(Multiplier by)
{
    for (const auto& [rows, in, out] : {std::tuple{1, 1, 1},
                                        {16, 7, 3},
                                        {33, 64, 65},
                                        {100, 129, 256},
                                        {193, 1100, 97},
                                        {97, 63, 47},
                                        {300, 512, 128}}) {
        const at::Tensor x = at::randn({rows, in}), weight = at::randn({out, in}), bias = at::randn({out});
        const at::Tensor g = at::randn({rows, out});
        expectNear(rowsTimesWeight(x, weight, {}, by), exact(x).mm(exact(weight).t()));
        expectNear(rowsTimesWeight(x, weight, bias, by), exact(x).mm(exact(weight).t()) + exact(bias));
        expectNear(gradientOfRows(g, weight, by), exact(g).mm(exact(weight)));
        at::Tensor gradientOfBias;
        expectNear(gradientOfWeight(g, x, by, &gradientOfBias), exact(g).t().mm(exact(x)));
        expectNear(gradientOfBias, exact(g).sum(0));
    }
}

std::vector<Multiplier> multipliers()
{
    std::vector<Multiplier> all{Multiplier::Torch, Multiplier::OneDnn};
    if (hasAmxBackend())
        all.push_back(Multiplier::Amx);
    return all;
}

TEST(DenseProduct, EveryMultiplierGivesTheThreeProducts)
{
    for (const Multiplier by : multipliers())
        expectTheThreeProducts(by);
}

TEST(DenseProduct, FactorsMayLieAnyhow)
{
    const at::Tensor x = at::randn({40, 60}).t().narrow(1, 3, 32), weight = at::randn({32, 10}).t();
    const at::Tensor g = at::randn({10, 60}).t();
    for (const Multiplier by : multipliers()) {
        expectNear(rowsTimesWeight(x, weight, {}, by), exact(x).mm(exact(weight).t()));
        expectNear(gradientOfRows(g, weight, by), exact(g).mm(exact(weight)));
        expectNear(gradientOfWeight(g, x, by), exact(g).t().mm(exact(x)));
    }
}

/// By the same code as where they lie side by side, and so to the bit: for others it has plain loops.
TEST(DenseProduct, OneDnnMultipliesPartsOfWiderMatricesAsIfTheyWereWhole)
{
    const at::Tensor x = at::randn({60, 80}).narrow(1, 7, 48), weight = at::randn({40, 80}).narrow(1, 3, 48);
    const at::Tensor g = at::randn({60, 80}).narrow(1, 7, 40);
    const at::Tensor wholeX = x.contiguous(), wholeWeight = weight.contiguous(), wholeG = g.contiguous();
    const Multiplier by = Multiplier::OneDnn;
    EXPECT_TRUE(rowsTimesWeight(x, weight, {}, by).equal(rowsTimesWeight(wholeX, wholeWeight, {}, by)));
    EXPECT_TRUE(gradientOfRows(g, weight, by).equal(gradientOfRows(wholeG, wholeWeight, by)));
}

struct Layer {
    at::Tensor x, weight, bias;

    Layer as(at::ScalarType type) const
    {
        const auto leaf = [&](const at::Tensor& tensor) {
            return tensor.defined() ? tensor.detach().clone().to(type).requires_grad_(true) : tensor;
        };
        return {leaf(x), leaf(weight), leaf(bias)};
    }
};

TEST(DenseProduct, HasTheGradientsOfLinear)
{
    for (const bool biased : {false, true}) {
        const Layer values{at::randn({5, 7, 20}), at::randn({9, 20}), biased ? at::randn({9}) : at::Tensor()};
        const Layer single = values.as(at::kFloat), twice = values.as(at::kDouble);
        const at::Tensor got = denseProduct(single.x, single.weight, single.bias);
        const at::Tensor want = at::linear(twice.x, twice.weight, biased ? std::optional(twice.bias) : std::nullopt);
        expectNear(got.detach(), want.detach());
        const at::Tensor g = at::randn({5, 7, 9});
        got.backward(g);
        want.backward(exact(g));
        expectNear(single.x.grad(), twice.x.grad());
        expectNear(single.weight.grad(), twice.weight.grad());
        if (biased)
            expectNear(single.bias.grad(), twice.bias.grad());
    }
}

/// Gradients of the squared length of x's gradient, as a penalty on it has them.
torch::autograd::variable_list secondGradients(const Layer& layer, const at::Tensor& y)
{
    const auto first = torch::autograd::grad({y.square().sum()}, {layer.x}, {}, true, /*create_graph=*/true);
    return torch::autograd::grad({first[0].square().sum()}, {layer.x, layer.weight});
}

TEST(DenseProduct, SecondDerivativesAreThoseOfLinear)
{
    const Layer values{at::randn({768, 256}), at::randn({512, 256}), at::randn({512})};
    const Layer single = values.as(at::kFloat), twice = values.as(at::kDouble);
    const auto got = secondGradients(single, denseProduct(single.x, single.weight, single.bias));
    const auto want = secondGradients(twice, at::linear(twice.x, twice.weight, twice.bias));
    for (std::size_t i = 0; i < got.size(); ++i)
        expectNear(got[i], want[i]);
}

TEST(DenseProduct, GivesTheSameBitsAgain)
{
    const Layer values{at::randn({768, 256}), at::randn({512, 256}), at::randn({512})};
    const at::Tensor g = at::randn({768, 512});
    std::vector<at::Tensor> before;
    for (int turn = 0; turn < 2; ++turn) {
        const Layer layer = values.as(at::kFloat);
        const at::Tensor y = denseProduct(layer.x, layer.weight, layer.bias);
        y.backward(g);
        const std::vector<at::Tensor> numbers{y.detach(), layer.x.grad(), layer.weight.grad(), layer.bias.grad()};
        for (std::size_t i = 0; i < before.size(); ++i)
            EXPECT_TRUE(numbers[i].equal(before[i])) << i;
        before = numbers;
    }
}

/// What is chosen is the backend's, but for what has too few rows, another type or too short a side.
TEST(DenseProduct, TheBackendIsThatOfTheThread)
{
    const at::Tensor x = at::randn({640, 256}), weight = at::randn({200, 256}), g = at::randn({640, 200});
    {
        const ScopedBackend library(Backend::Library);
        EXPECT_NE(multiplierForRows(x, weight), Multiplier::Amx);
        EXPECT_NE(multiplierForWeight(g, x), Multiplier::Amx);
        std::thread([] { EXPECT_EQ(backend(), bestBackend()); }).join();
    }
    EXPECT_EQ(backend(), bestBackend());
    const ScopedBackend amx(Backend::Amx);
    const Multiplier large = hasAmxBackend() ? Multiplier::Amx : multiplierForRows(x.narrow(0, 0, 100), weight);
    EXPECT_EQ(multiplierForRows(x, weight), large);
    EXPECT_EQ(multiplierForRows(x.view({40, 16, 256}), weight), large);
    EXPECT_EQ(multiplierForWeight(g, x), hasAmxBackend() ? Multiplier::Amx : Multiplier::Torch);
    EXPECT_NE(multiplierForRows(x.narrow(0, 0, 100), weight), Multiplier::Amx);
    EXPECT_NE(multiplierForWeight(g.narrow(1, 0, 100), x), Multiplier::Amx);
    EXPECT_EQ(multiplierForRows(x.to(at::kDouble), weight.to(at::kDouble)), Multiplier::Torch);
    EXPECT_EQ(multiplierForRows(x.narrow(0, 0, 1), weight), Multiplier::Torch);
    EXPECT_EQ(multiplierForRows(x.narrow(0, 0, 0), weight), Multiplier::Torch);
}

/// The two backends round differently, and either again as before.
TEST(DenseProduct, ABackendGivesItsOwnBitsAgain)
{
    const at::Tensor x = at::randn({640, 256}), weight = at::randn({200, 256});
    for (const Backend wanted : {Backend::Library, Backend::Amx}) {
        const ScopedBackend scope(wanted);
        const at::Tensor y = denseProduct(x, weight, {});
        EXPECT_TRUE(denseProduct(x, weight, {}).equal(y));
        expectNear(y, exact(x).mm(exact(weight).t()));
    }
}

} // namespace
} // namespace unroll::linalg
