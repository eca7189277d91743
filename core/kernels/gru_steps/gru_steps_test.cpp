// SPDX-License-Identifier: GPL-3.0-or-later
// What is special to gru_steps; what every scan owes is in tests/kernels.
#include "core/kernels/gru_steps/gru_steps.h"

#include "core/kernels/testing/plain_loop_test.h"
#include "core/kernels/testing/scan_kernels.h"

#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

/// Rows are put together in tiles, and columns in panels: every way to cut them.
TEST(GruStepsValues, EveryBatchAndWidthGivesWhatThePlainLoopGives)
{
    unsigned round = 0;
    for (std::int64_t batch : {1, 2, 4, 5, 7, 13})
        for (std::int64_t width : {8, 21, 22, 32, 43, 64, 65, 100}) {
            const auto c = gruStepsKernel().variant({3, batch, width}, ++round);
            expectThePlainLoop(*c, drawTrial(*c, round));
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad case";
        }
}

GruStepsArguments drawnGru(GruConvention convention)
{
    Draw draws(7);
    GruStepsArguments a{draws.normal({5, 2, 12}), draws.normal({12, 4})};
    a.initial = draws.normal({2, 4});
    a.mask = draws.uniform({5, 2}) < 0.7;
    a.convention = convention;
    return a;
}

/// The state after each step, made of the gates that were kept.
TEST(GruStepsValues, WhatIsKeptAreTheGates)
{
    const GruStepsArguments a = drawnGru(GruConvention::ResetAfter);
    const GruStepsResult out = gruSteps(a);
    const Tensors kept = out.kept.chunk(4, 2);
    for (std::int64_t t = 0; t < 5; ++t) {
        const at::Tensor before = t == 0 ? *a.initial : out.h[t - 1], z = kept[1][t].sigmoid();
        const at::Tensor real = (*a.mask)[t].unsqueeze(1);
        const at::Tensor h = at::where(real, z * before + (1 - z) * kept[2][t], before);
        EXPECT_LT(relativeRms(out.h[t], h), 1e-6);
    }
}

TEST(GruStepsValues, KeepingNothingChangesNoNumber)
{
    for (GruConvention convention :
         {GruConvention::ResetAfter, GruConvention::ResetBefore, GruConvention::ResetBeforeInvertedZ}) {
        GruStepsArguments a = drawnGru(convention);
        const GruStepsResult all = gruSteps(a);
        a.keeps = false;
        const GruStepsResult less = gruSteps(a);
        EXPECT_TRUE(less.h.equal(all.h) && less.last.equal(all.last));
        EXPECT_EQ(less.kept.numel(), 0);
        a.u.requires_grad_(true);
        EXPECT_THAT(errorOf([&] { torch::autograd::grad({gruSteps(a).h.sum()}, {a.u}); }),
                    HasSubstr("told to keep nothing"));
    }
}

TEST(GruStepsErrors, SayWhatWasExpectedAndWhatCame)
{
    const GruStepsArguments good{at::zeros({5, 2, 12}), at::zeros({12, 4}), at::zeros({4}), at::zeros({2, 4}),
                                 at::zeros({5, 2}, at::kBool)};
    const auto message = [&](auto change) {
        GruStepsArguments a = good;
        change(a);
        return errorOf([&] { gruSteps(a); });
    };
    EXPECT_EQ(message([](auto&) {}), "");
    EXPECT_THAT(message([](auto& a) {
                    a.u = at::zeros({5, 2, 10});
                }),
                HasSubstr("u has shape [5, 2, 10], expected [steps, batch, 3 width]"));
    EXPECT_THAT(message([](auto& a) {
                    a.weight = at::zeros({4, 4});
                }),
                HasSubstr("weight has shape [4, 4], expected [12, 4]"));
    EXPECT_THAT(message([](auto& a) { a.bias = at::zeros({12}); }), HasSubstr("bias has shape [12], expected [4]"));
    EXPECT_THAT(message([](auto& a) { a.convention = GruConvention::ResetBefore; }),
                HasSubstr("bias came together with reset_before; it belongs into u then, expected no bias"));
    EXPECT_THAT(message([](auto& a) { a.initial = at::zeros({4}); }),
                HasSubstr("initial has shape [4], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) { a.weight = a.weight.to(at::kDouble); }),
                HasSubstr("weight is Double, expected Float"));
}

} // namespace
} // namespace unroll::kernels
