// SPDX-License-Identifier: GPL-3.0-or-later
// Dense products by either library, against fp64.
#include "core/kernels/common/dense_product.h"

#include "core/kernels/common/cpu_targets.h"
#include "core/kernels/common/scoped_threads.h"
#include "core/kernels/common/split_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <c10/util/Exception.h>

#include <gtest/gtest.h>
#include <limits>
#include <torch/csrc/autograd/autograd.h>

namespace unroll::kernels {
namespace {

constexpr double kBound = 1e-5; ///< of the largest element

void expectNear(const at::Tensor& got, const at::Tensor& exact)
{
    ASSERT_EQ(got.sizes(), exact.sizes());
    ASSERT_EQ(got.layout(), at::kStrided);
    EXPECT_LE((got.to(at::kDouble) - exact).abs().max().item<double>(), kBound * exact.abs().max().item<double>());
}

at::Tensor exact(const at::Tensor& tensor)
{
    return tensor.to(at::kDouble);
}

void expectTheThreeProducts(ProductLibrary library)
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
        expectNear(rowsTimesWeight(x, weight, {}, library), exact(x).mm(exact(weight).t()));
        expectNear(rowsTimesWeight(x, weight, bias, library), exact(x).mm(exact(weight).t()) + exact(bias));
        expectNear(gradientOfRows(g, weight, library), exact(g).mm(exact(weight)));
        at::Tensor gradientOfBias;
        expectNear(gradientOfWeight(g, x, library, &gradientOfBias), exact(g).t().mm(exact(x)));
        expectNear(gradientOfBias, exact(g).sum(0));
    }
}

TEST(DenseProduct, EitherLibraryGivesTheThreeProducts)
{
    for (const ProductLibrary library : {ProductLibrary::Torch, ProductLibrary::OneDnn})
        expectTheThreeProducts(library);
}

class SplitProducts : public testing::Test {
protected:
    void SetUp() override
    {
        if (!hasSplitProducts())
            GTEST_SKIP() << "this processor has no AMX";
    }
};

TEST_F(SplitProducts, GiveTheThreeProducts)
{
    expectTheThreeProducts(ProductLibrary::Split);
}

double relativeRms(const at::Tensor& got, const at::Tensor& exact)
{
    return ((got.to(at::kDouble) - exact).norm() / exact.norm()).item<double>();
}

/// Numbers of all sizes, and depths within and across what is packed at a time.
TEST_F(SplitProducts, AreAsNearToFp64AsTorchsAre)
{
    for (const std::int64_t depth : {1, 3, 33, 511, 512, 513, 2000}) {
        const at::Tensor x = at::randn({70, depth}) * at::randn({70, depth}).exp();
        const at::Tensor w = at::randn({depth, 90}) * at::randn({depth, 90}).exp();
        const at::Tensor want = exact(x).mm(exact(w));
        EXPECT_LE(relativeRms(splitProduct(x, w), want), 1.5 * relativeRms(x.mm(w), want) + 1e-8) << depth;
    }
}

/// Results of megabytes are written past the caches, corner by corner, but for corners where they end.
TEST_F(SplitProducts, OfMegabytesAreTheSame)
{
    for (const std::int64_t columns : {512, 528, 530}) {
        const at::Tensor x = at::randn({2100, 40}), w = at::randn({40, columns}), bias = at::randn({columns});
        const at::Tensor y = splitProduct(x, w, {.bias = bias});
        expectNear(y, exact(x).mm(exact(w)) + exact(bias));
        EXPECT_TRUE(splitProduct(x.narrow(0, 64, 100), w, {.bias = bias}).equal(y.narrow(0, 64, 100))) << columns;
    }
}

TEST_F(SplitProducts, SumTheLeftRowsOnTheWay)
{
    for (const std::int64_t depth : {1, 40, 700})
        for (const std::int64_t rows : {1, 33, 50}) {
            const at::Tensor x = at::randn({rows, depth}), w = at::randn({depth, 20}), scale = at::randn({depth});
            for (const at::Tensor& left : {x, x.t().contiguous().t()}) {
                at::Tensor sums;
                splitProduct(left, w, {.scale = scale, .leftSums = &sums});
                expectNear(sums, exact(x).sum(1));
            }
        }
}

/// Their last parts are denormal, and must not spill into the numbers beside them. Parts below 2^-126 count as 0: of 70 terms each, times up to 4.
TEST_F(SplitProducts, OfTinyNumbersAreTiny)
{
    constexpr double kFlushed = 70 * 4 * 1.2e-38, kRounded = 2e-5; // sums reach 35, where a step of fp32 is 4e-6
    for (const double size : {1e-30, 1e-34, 1e-36, 1e-38, 1e-41}) {
        const at::Tensor x = at::randn({50, 70}).mul_(size), w = at::randn({70, 65});
        const at::Tensor want = exact(x).mm(exact(w));
        for (const at::Tensor& left : {x, x.t().contiguous().t()})
            for (const at::Tensor& right : {w, w.t().contiguous().t()}) {
                const at::Tensor off = (exact(splitProduct(left, right)) - want).abs();
                EXPECT_LE(off.max().item<double>(), kRounded * size + kFlushed) << size;
                const at::Tensor turned = splitProduct(right.t(), left.t());
                EXPECT_LE((exact(turned) - want.t()).abs().max().item<double>(), kRounded * size + kFlushed) << size;
            }
    }
}

/// Ternary weights and 8-bit codes, and a scale along the depth.
TEST_F(SplitProducts, OfBf16NumbersNeedOnePartOfThem)
{
    for (const std::int64_t depth : {1, 40, 700}) {
        const at::Tensor x = at::randn({50, depth}), scale = at::randn({depth}).abs();
        const at::Tensor codes = at::randint(-127, 128, {depth, 65}, at::kFloat);
        const at::Tensor want = (exact(x) * exact(scale)).mm(exact(codes));
        for (const at::Tensor& left : {x, x.t().contiguous().t()})
            for (const at::Tensor& right : {codes, codes.t().contiguous().t()})
                EXPECT_LE(relativeRms(splitProduct(left, right, {.scale = scale, .rightIsBf16 = true}), want), 5e-7)
                    << depth;
    }
}

TEST_F(SplitProducts, GiveTheSameBitsWhateverTheThreadsAndTheOtherRows)
{
    const at::Tensor x = at::randn({500, 700}), w = at::randn({700, 130});
    const at::Tensor y = splitProduct(x, w);
    EXPECT_TRUE(splitProduct(x.narrow(0, 301, 101), w).equal(y.narrow(0, 301, 101)));
    const test::ScopedThreads one(1);
    EXPECT_TRUE(splitProduct(x, w).equal(y));
}

TEST_F(SplitProducts, KeepWhatIsNotFiniteInItsRowsAndColumns)
{
    at::Tensor x = at::randn({40, 50}), w = at::randn({50, 60});
    x[3][7] = std::numeric_limits<float>::infinity();
    w[9][11] = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor odd = splitProduct(x, w).isfinite().logical_not();
    EXPECT_TRUE(odd[3].all().item<bool>());
    EXPECT_TRUE(odd.select(1, 11).all().item<bool>());
    EXPECT_EQ(odd.sum().item<int>(), 60 + 40 - 1);
}

TEST_F(SplitProducts, OfNothingAreTheBias)
{
    const at::Tensor bias = at::randn({5});
    EXPECT_TRUE(splitProduct(at::empty({3, 0}), at::empty({0, 5}), {.bias = bias}).equal(bias.expand({3, 5})));
    EXPECT_EQ(splitProduct(at::empty({0, 4}), at::empty({4, 5})).sizes(), (at::IntArrayRef{0, 5}));
}

class DenseProductOfTarget : public testing::TestWithParam<std::string> {
protected:
    ScopedCpuTarget target{GetParam()};
};

TEST_P(DenseProductOfTarget, OurOwnGivesThemToo)
{
    expectTheThreeProducts(ProductLibrary::Own);
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, DenseProductOfTarget, testing::ValuesIn(cpuTargets()),
                         [](const auto& instance) { return instance.param; });

/// A sum runs along the depth alone, so what else is multiplied beside a row does not matter.
TEST(DenseProduct, OurOwnGivesARowTheSameBitsWhateverIsBesideIt)
{
    const at::Tensor x = at::randn({500, 700}), weight = at::randn({130, 700}), g = at::randn({500, 130});
    const at::Tensor y = rowsTimesWeight(x, weight, {}, ProductLibrary::Own);
    const at::Tensor dx = gradientOfRows(g, weight, ProductLibrary::Own);
    for (const std::int64_t from : {0, 97, 301}) {
        EXPECT_TRUE(
            rowsTimesWeight(x.narrow(0, from, 101), weight, {}, ProductLibrary::Own).equal(y.narrow(0, from, 101)));
        EXPECT_TRUE(gradientOfRows(g.narrow(0, from, 101), weight, ProductLibrary::Own).equal(dx.narrow(0, from, 101)));
    }
}

TEST(DenseProduct, FactorsMayLieAnyhow)
{
    const at::Tensor x = at::randn({40, 60}).t().narrow(1, 3, 32), weight = at::randn({32, 10}).t();
    const at::Tensor g = at::randn({10, 60}).t();
    std::vector<ProductLibrary> libraries{ProductLibrary::Torch, ProductLibrary::OneDnn, ProductLibrary::Own};
    if (hasSplitProducts())
        libraries.push_back(ProductLibrary::Split);
    for (const ProductLibrary library : libraries) {
        expectNear(rowsTimesWeight(x, weight, {}, library), exact(x).mm(exact(weight).t()));
        expectNear(gradientOfRows(g, weight, library), exact(g).mm(exact(weight)));
        expectNear(gradientOfWeight(g, x, library), exact(g).t().mm(exact(x)));
    }
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

TEST(DenseProduct, OneDnnIsAskedForSinglePrecisionOfSomeSizeAlone)
{
    const at::Tensor weight = at::randn({8, 8});
    EXPECT_EQ(libraryForRows(at::randn({64, 8}, at::kDouble), exact(weight)), ProductLibrary::Torch);
    EXPECT_EQ(libraryForRows(at::randn({1, 8}), weight), ProductLibrary::Torch);
    EXPECT_EQ(libraryForRows(at::randn({0, 8}), weight), ProductLibrary::Torch);
    EXPECT_EQ(libraryForRows(at::randn({64, 8}), weight), libraryForRows(at::randn({4, 16, 8}), weight));
    EXPECT_EQ(libraryForGradient(at::randn({1, 8}), weight), ProductLibrary::Torch);
    EXPECT_EQ(libraryForGradient(at::randn({640, 8}), weight), libraryForGradient(at::randn({40, 16, 8}), weight));
}

} // namespace
} // namespace unroll::kernels
