// SPDX-License-Identifier: GPL-3.0-or-later
// What is special to rnn_steps; what every scan owes is in tests/kernels.
#include "core/kernels/rnn_steps/rnn_steps.h"

#include "core/kernels/testing/plain_loop_test.h"
#include "core/kernels/testing/scan_kernels.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

/// Rows are put together in tiles, and columns in panels: every way to cut them.
TEST(RnnStepsValues, EveryBatchAndWidthGivesWhatThePlainLoopGives)
{
    unsigned round = 0;
    for (std::int64_t batch : {1, 2, 3, 4, 5, 6, 7, 13})
        for (std::int64_t width : {8, 31, 33, 64, 65, 100}) {
            const auto c = rnnStepsKernel().variant({3, batch, width}, ++round);
            expectThePlainLoop(*c, drawTrial(*c, round));
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad case";
        }
}

TEST(RnnStepsValues, TheWeightsRowsAreTheUnitsThatRead)
{
    at::Tensor weight = at::zeros({3, 3}, at::kDouble), u = at::zeros({2, 1, 3}, at::kDouble);
    weight[2][0] = 0.5; // unit 2 reads unit 0
    u[0][0][0] = 1;
    const at::Tensor h = rnnSteps({.u = u, .weight = weight}).h;
    EXPECT_NEAR(h[1][0][2].item<double>(), std::tanh(0.5 * std::tanh(1.0)), 1e-15);
    EXPECT_EQ(h[1][0][0].item<double>(), 0);
}

TEST(RnnStepsErrors, SayWhatWasExpectedAndWhatCame)
{
    const RnnStepsArguments good{at::zeros({5, 2, 4}), at::zeros({4, 4}), at::zeros({2, 4}),
                                 at::zeros({5, 2}, at::kBool)};
    const auto message = [&](auto change) {
        RnnStepsArguments a = good;
        change(a);
        return errorOf([&] { rnnSteps(a); });
    };
    EXPECT_EQ(message([](auto&) {}), "");
    EXPECT_THAT(message([](auto& a) {
                    a.u = at::zeros({5, 4});
                }),
                HasSubstr("u has shape [5, 4], expected [steps, batch, width]"));
    EXPECT_THAT(message([](auto& a) {
                    a.weight = at::zeros({4, 3});
                }),
                HasSubstr("weight has shape [4, 3], expected [4, 4]"));
    EXPECT_THAT(message([](auto& a) { a.weight = a.weight.to(at::kDouble); }),
                HasSubstr("weight is Double, expected Float"));
    EXPECT_THAT(message([](auto& a) { a.initial = at::zeros({4}); }),
                HasSubstr("initial has shape [4], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) {
                    a.mask = at::zeros({5, 2});
                }),
                HasSubstr("mask is Float, expected bool or uint8"));
}

} // namespace
} // namespace unroll::kernels
