// SPDX-License-Identifier: GPL-3.0-or-later
// The block code of the CUDA kernel, run on the CPU against the CPU kernel: with torch's products, and with the weight in shared memory.
#include "core/kernels/common/on_resident.h"
#include "core/kernels/rnn_steps/rnn_steps_on.h"

namespace unroll::kernels {
namespace {

using namespace test;

/// Both passes; what is absent depends on `round`.
template <class Trial, auto forward, auto backward>
std::vector<Named> runRnn(unsigned round, at::ScalarType type)
{
    const Trial in(round, type, 1);
    const std::string_view word = rnnActivationName(round / 3 % 2 == 0 ? RnnActivation::Tanh : RnnActivation::Relu);
    const auto [h, last] = forward(in.u, in.weight, in.initial, in.mask, word, in.reverse);
    const auto [gradU, gradWeight, gradInitial] =
        backward(in.weight, in.initial, in.mask, h, in.gradH, in.gradLast, word, in.reverse);
    return {{"h", h},
            {"last", last},
            {"gradient of u", gradU},
            {"gradient of weight", gradWeight},
            {"gradient of initial", gradInitial}};
}

constexpr auto byKernel = runRnn<StepsTrial, &rnnStepsForward, &rnnStepsBackward>;
constexpr auto residentByKernel = runRnn<ResidentTrial, &rnnStepsForward, &rnnStepsBackward>;

TEST(RnnStepsElements, WithTorchsProductsEqualTheCpuKernel)
{
    expectElementsEqualTheCpu(runRnn<StepsTrial, &rnnStepsForwardOn<OnElements>, &rnnStepsBackwardOn<OnElements>>,
                              byKernel);
}

TEST(RnnStepsResident, BlocksInAnyTurnsEqualTheCpuKernel)
{
    expectResidentEqualsTheCpu(runRnn<ResidentTrial, &rnnStepsForwardOn<OnResident>, &rnnStepsBackwardOn<OnResident>>,
                               residentByKernel, 50);
}

} // namespace
} // namespace unroll::kernels
