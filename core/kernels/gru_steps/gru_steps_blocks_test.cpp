// SPDX-License-Identifier: GPL-3.0-or-later
// The block code of the CUDA kernel, run on the CPU against the CPU kernel: with torch's products, and with the weight
// in shared memory.
#include "core/kernels/gru_steps/gru_steps_on.h"
#include "core/kernels/testing/on_persistent.h"

namespace unroll::kernels {
namespace {

using namespace test;

constexpr GruConvention kConventions[] = {GruConvention::ResetAfter, GruConvention::ResetBefore,
                                          GruConvention::ResetBeforeInvertedZ};

/// Both passes; what is absent depends on `round`.
template <class Trial, auto forward, auto backward>
std::vector<Named> runGru(unsigned round, at::ScalarType type)
{
    const Trial in(round, type, 3);
    const GruConvention convention = kConventions[round % 3];
    const std::string_view word = gruConventionName(convention);
    const bool biased = convention == GruConvention::ResetAfter && round % 2 == 0;
    const MaybeTensor bias = biased ? MaybeTensor(in.bias) : std::nullopt;
    const auto [h, last, kept] = forward(in.u, in.weight, bias, in.initial, in.mask, word, in.reverse, true);
    const auto [unkept, same, nothing] = forward(in.u, in.weight, bias, in.initial, in.mask, word, in.reverse, false);
    EXPECT_TRUE(unkept.equal(h) && same.equal(last)) << "keeping changes nothing";
    EXPECT_EQ(nothing.numel(), 0);
    const auto [gradU, gradWeight, gradBias, gradInitial] =
        backward(in.weight, in.initial, in.mask, h, kept, in.gradH, in.gradLast, word, in.reverse);
    return {{"h", h},
            {"last", last},
            {"kept", kept},
            {"gradient of u", gradU},
            {"gradient of weight", gradWeight},
            {"gradient of bias", gradBias},
            {"gradient of initial", gradInitial}};
}

constexpr auto kByKernel = runGru<StepsTrial, &gruStepsForward, &gruStepsBackward>;
constexpr auto kPersistentByKernel = runGru<PersistentTrial, &gruStepsForward, &gruStepsBackward>;

TEST(GruStepsElements, WithTorchsProductsEqualTheCpuKernel)
{
    expectElementsEqualTheCpu(runGru<StepsTrial, &gruStepsForwardOn<OnElements>, &gruStepsBackwardOn<OnElements>>,
                              kByKernel);
}

TEST(GruStepsPersistent, BlocksInAnyTurnsEqualTheCpuKernel)
{
    expectPersistentEqualsTheCpu(
        runGru<PersistentTrial, &gruStepsForwardOn<OnPersistent>, &gruStepsBackwardOn<OnPersistent>>,
        kPersistentByKernel, 50);
}

} // namespace
} // namespace unroll::kernels
