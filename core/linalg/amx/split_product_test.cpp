// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/linalg/amx/split_product.h"

#include "core/kernels/testing/scoped_threads.h"
#include "core/linalg/exact_test.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <gtest/gtest.h>
#include <limits>

namespace unroll::linalg {
namespace {

using kernels::test::ScopedThreads;

class SplitProducts : public testing::Test {
protected:
    void SetUp() override
    {
        if (!hasSplitProducts())
            GTEST_SKIP() << "this processor has no AMX";
    }
};

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

/// Results of megabytes are written past the caches, tile by tile, but for tiles where they end.
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

/// Their last parts are denormal, and must not spill into the numbers beside them. Parts below 2^-126 count as 0: of 70
/// terms each, times up to 4.
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
    const ScopedThreads one(1);
    EXPECT_TRUE(splitProduct(x, w).equal(y));
}

bool areTheSame(const at::Tensor& a, const at::Tensor& b)
{
    return a.isnan().equal(b.isnan()) && a.nan_to_num(0).equal(b.nan_to_num(0));
}

/// Inf times 2 is Inf, Inf times 0 and Inf - Inf are NaN, and what has nothing to do with them stays as it was.
TEST_F(SplitProducts, HaveInfAndNanAsIeeeHasThem)
{
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (const float odd : {inf, -inf, nan, -nan, 3.4e38F, -3.4e38F})
        for (const auto& [row, k] : {std::pair{0, 0}, {39, 49}, {33, 7}}) {
            at::Tensor x = at::randint(-4, 5, {40, 50}, at::kFloat), w = at::randint(-4, 5, {50, 60}, at::kFloat);
            x[row][k] = odd;
            const at::Tensor want =
                exact(x).mm(exact(w)).to(at::kFloat); // what is finite is a whole number or beyond fp32
            EXPECT_TRUE(areTheSame(splitProduct(x, w), want)) << odd;
            EXPECT_TRUE(areTheSame(splitProduct(w.t(), x.t()), want.t())) << odd;
            EXPECT_TRUE(areTheSame(splitProduct(x.t().contiguous().t(), w, {.rightIsBf16 = true}), want)) << odd;
        }
}

TEST_F(SplitProducts, OfWhatIsNotFiniteKeepTheirBiasScaleAndSums)
{
    at::Tensor x = at::randn({40, 600}), w = at::randn({600, 33});
    x[3][555] = std::numeric_limits<float>::infinity();
    const at::Tensor bias = at::randn({33}), scale = at::randn({600}).abs();
    at::Tensor sums;
    const at::Tensor y = splitProduct(x, w, {.bias = bias, .scale = scale, .leftSums = &sums});
    EXPECT_TRUE(y[3].isinf().all().item<bool>() && sums[3].isinf().item<bool>());
    const at::Tensor rows = x.narrow(0, 4, 36);
    expectNear(y.narrow(0, 4, 36), (exact(rows) * exact(scale)).mm(exact(w)) + exact(bias));
    expectNear(sums.narrow(0, 4, 36), exact(rows).sum(1));
}

TEST_F(SplitProducts, OfNothingAreTheBias)
{
    const at::Tensor bias = at::randn({5});
    EXPECT_TRUE(splitProduct(at::empty({3, 0}), at::empty({0, 5}), {.bias = bias}).equal(bias.expand({3, 5})));
    EXPECT_EQ(splitProduct(at::empty({0, 4}), at::empty({4, 5})).sizes(), (at::IntArrayRef{0, 5}));
}

} // namespace
} // namespace unroll::linalg
