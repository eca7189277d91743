// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/matrix_scan/matrix_scan_case.h"

#include <ATen/ops/zeros.h>

#include <limits>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

/// Every size with several of the variants, all of which come up many times; the pick depends on `round` alone.
MatrixCase variant(std::int64_t size, unsigned round)
{
    MatrixCase c;
    c.steps = std::vector<std::int64_t>{1, 2, 17, 64, 65}[round % 5];
    c.batch = round % 3 == 1 ? 1 : 3;
    c.heads = round % 4 == 3 ? 1 : 2;
    c.size = size;
    c.reverse = round % 3 == 2;
    c.masked = round / 3 % 2 == 1;
    c.initial = round % 7 < 5;
    c.transposed = round % 5 == 2;
    c.gradients = 1 + round % 3;
    return c;
}

TEST(MatrixScanValues, OutputsAndGradientsAreThoseOfThePlainLoop)
{
    unsigned round = 0;
    for (std::int64_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 24, 33, 64})
        for (int i = 0; i < 7; ++i, ++round) {
            const MatrixCase c = variant(size, round);
            const MatrixNumbers n = draw(c, round);
            const std::vector<Named> want = plainLoop(c, n);
            for (const std::string& target : cpuTargets()) {
                const ScopedCpuTarget scope(target);
                expectClose(byKernel(c, n, at::kDouble), want, at::kDouble, describe(c));
                expectClose(byKernel(c, n, at::kFloat), want, at::kFloat, describe(c));
            }
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad case";
        }
}

TEST(MatrixScanValues, LongProductsOfRotationsKeepTheirDigits)
{
    MatrixCase c;
    c.steps = 4097;
    c.size = 8;
    MatrixNumbers n = draw(c, 4);
    n.m = std::get<0>(at::linalg_qr(n.m));
    expectClose(byKernel(c, n, at::kFloat), plainLoop(c, n), at::kFloat, describe(c));
}

TEST(MatrixScanValues, TheEarlierMatrixStandsOnTheLeft)
{
    const at::Tensor m = Draw(1).normal({2, 1, 1, 3, 3});
    const at::Tensor want = at::matmul(m[0], m[1]);
    EXPECT_LT(relativeRms(matrixScan(m).last, want), 1e-6);
    EXPECT_LT(relativeRms(matrixScan(m, {}, {}, /*reverse=*/true).last, at::matmul(m[1], m[0])), 1e-6);
}

TEST(MatrixScanValues, NanStaysInItsMatrix)
{
    MatrixCase c;
    c.steps = 9;
    c.batch = 2;
    c.heads = 3;
    c.size = 5;
    const MatrixNumbers n = draw(c, 3);
    n.m[4][1][2][0][0] = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor bad = matrixScan(n.m, n.initial).h.isnan();
    EXPECT_EQ(bad.sum().item<std::int64_t>(), bad.select(1, 1).select(1, 2).sum().item<std::int64_t>());
    EXPECT_EQ(bad.narrow(0, 0, 4).sum().item<std::int64_t>(), 0);
    EXPECT_TRUE(bad[8][1][2].all().item<bool>());
}

TEST(MatrixScanThreads, OneAndTwoGiveTheSameBits)
{
    for (std::int64_t size : {3, 8, 20}) {
        MatrixCase c;
        c.steps = 300;
        c.batch = 5;
        c.heads = 7;
        c.size = size;
        c.masked = true;
        const MatrixNumbers n = draw(c, 11);
        std::vector<Named> one, two;
        {
            const ScopedThreads threads(1);
            one = byKernel(c, n, at::kFloat);
        }
        {
            const ScopedThreads threads(2);
            two = byKernel(c, n, at::kFloat);
        }
        expectSameBits(two, one, describe(c));
    }
}

TEST(MatrixScanSteps, OneStepAtATimeEqualsTheWhole)
{
    MatrixCase c;
    c.steps = 12;
    c.batch = 3;
    c.heads = 2;
    c.size = 6;
    const MatrixNumbers n = draw(c, 2);
    const MatrixScanResult whole = matrixScan(n.m, n.initial, n.mask);
    at::Tensor state = n.initial;
    for (std::int64_t t = 0; t < c.steps; ++t) {
        const MatrixScanResult one = matrixScan(n.m.narrow(0, t, 1), state, n.mask.narrow(0, t, 1));
        EXPECT_TRUE(one.h.equal(whole.h.narrow(0, t, 1))) << "step " << t;
        state = one.last;
    }
    EXPECT_TRUE(state.equal(whole.last));
}

TEST(MatrixScanMask, MaskedStepsAreAsIfTheyWereNotThere)
{
    MatrixCase c;
    c.steps = 20;
    c.size = 7;
    const MatrixNumbers n = draw(c, 8);
    const at::Tensor kept = n.mask.select(1, 0).nonzero().squeeze(1);
    const MatrixScanResult all = matrixScan(n.m, n.initial, n.mask);
    const MatrixScanResult some = matrixScan(n.m.index_select(0, kept), n.initial);
    EXPECT_TRUE(all.last.equal(some.last));
    EXPECT_TRUE(all.h.index_select(0, kept).equal(some.h));
}

TEST(MatrixScanSizes, EmptySequencesHandTheStateThrough)
{
    for (const auto& [steps, batch, heads] : std::vector<std::tuple<int, int, int>>{{0, 3, 2}, {4, 0, 2}, {4, 3, 0}}) {
        const at::Tensor m = at::zeros({steps, batch, heads, 3, 3}).requires_grad_(true);
        const at::Tensor initial = Draw(1).normal({batch, heads, 3, 3}).requires_grad_(true);
        const MatrixScanResult out = matrixScan(m, initial);
        EXPECT_EQ(out.h.sizes(), m.sizes());
        EXPECT_EQ(out.last.sizes(), initial.sizes());
        if (steps > 0)
            continue;
        EXPECT_TRUE(out.last.equal(initial));
        const at::Tensor arriving = Draw(2).normal(initial.sizes());
        EXPECT_TRUE(gradients({out.last}, {arriving}, {initial})[0].equal(arriving));
        EXPECT_TRUE(matrixScan(m).last[0][0].equal(at::eye(3))) << "nothing given: the identity";
    }
}

TEST(MatrixScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor m = at::zeros({5, 2, 3, 4, 4}), state = at::zeros({2, 3, 4, 4});
    const auto message = [&](const at::Tensor& matrices, std::optional<at::Tensor> initial) {
        return errorOf([&] { matrixScan(matrices, initial); });
    };
    EXPECT_EQ(message(m, state), "");
    EXPECT_THAT(message(m[0], {}), HasSubstr("m has shape [2, 3, 4, 4], expected [steps, batch, heads, n, n]"));
    EXPECT_THAT(message(at::zeros({5, 2, 3, 4, 5}), {}), HasSubstr("m has shape [5, 2, 3, 4, 5], expected"));
    EXPECT_THAT(message(at::zeros({1, 1, 1, 65, 65}), {}), HasSubstr("matrices of 65 rows, expected between 1 and 64"));
    EXPECT_THAT(message(m, at::zeros({2, 3, 4})), HasSubstr("initial has shape [2, 3, 4], expected [2, 3, 4, 4]"));
    EXPECT_THAT(message(m, state.to(at::kDouble)), HasSubstr("initial is Double, expected Float"));
    EXPECT_THAT(message(m.to(at::kHalf), {}), HasSubstr("m is Half on cpu"));
}

TEST(MatrixScanGradients, SecondDerivativesAreRefused)
{
    const at::Tensor m = at::zeros({2, 1, 1, 3, 3}).requires_grad_(true);
    const at::Tensor h = matrixScan(m).h;
    const at::Tensor grad = torch::autograd::grad({h.sum()}, {m}, {}, true, true)[0];
    EXPECT_THAT(errorOf([&] { torch::autograd::grad({grad.sum()}, {m}); }), HasSubstr("matrix_scan_backward"));
}

} // namespace
} // namespace unroll::kernels
