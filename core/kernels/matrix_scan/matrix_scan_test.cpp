// SPDX-License-Identifier: GPL-3.0-or-later
// What is special to matrix_scan; what every scan owes is in tests/kernels.
#include "core/kernels/matrix_scan/matrix_scan.h"

#include "core/kernels/testing/plain_loop_test.h"
#include "core/kernels/testing/scan_kernels.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

/// Sizes up to 16 are code of their own each.
TEST(MatrixScanValues, EverySizeGivesWhatThePlainLoopGives)
{
    unsigned round = 0;
    for (std::int64_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 24, 33, 64})
        for (std::int64_t steps : {1, 17, 65}) {
            const auto c = matrixScanKernel().variant({steps, 2, size}, ++round);
            expectThePlainLoop(*c, drawTrial(*c, round));
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad case";
        }
}

TEST(MatrixScanValues, LongProductsOfRotationsKeepTheirDigits)
{
    const auto c = matrixScanKernel().variant({4097, 1, 8}, 0);
    Trial trial = drawTrial(*c, 4);
    c->extremes()[0].apply(trial.numbers);
    expectClose(byKernel(*c, trial, at::kFloat), byPlainLoop(*c, trial, at::kDouble), at::kFloat, c->describe());
}

TEST(MatrixScanValues, TheEarlierMatrixStandsOnTheLeft)
{
    const at::Tensor m = Draw(1).normal({2, 1, 1, 3, 3});
    const at::Tensor want = at::matmul(m[0], m[1]);
    EXPECT_LT(relativeRms(matrixScan(m).last, want), 1e-6);
    EXPECT_LT(relativeRms(matrixScan(m, {}, {}, /*reverse=*/true).last, at::matmul(m[1], m[0])), 1e-6);
}

TEST(MatrixScanSizes, WithoutAnInitialStateItIsTheIdentity)
{
    for (std::int64_t n : {1, 3, 20}) {
        const at::Tensor last = matrixScan(at::zeros({0, 3, 70, n, n})).last;
        EXPECT_TRUE(last.equal(at::eye(n).expand(last.sizes()))) << n;
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

} // namespace
} // namespace unroll::kernels
