// SPDX-License-Identifier: GPL-3.0-or-later
// The block code of the CUDA kernel, run on the CPU against the CPU kernel: with torch's products, and with the weight
// in shared memory.
#include "core/kernels/rnn_steps/rnn_steps_on.h"
#include "core/kernels/testing/on_persistent.h"

namespace unroll::kernels {
namespace {

using namespace test;

using Forward = RnnStepsOutputs(const RnnStepsOpArguments&);
using Backward = RnnStepsGradients(const RnnStepsBackwardArguments&);

/// Both passes; what is absent depends on `round`.
template <class Trial, Forward forward, Backward backward>
std::vector<Named> runRnn(unsigned round, at::ScalarType type)
{
    const Trial in(round, type, 1);
    const std::string_view word = rnnActivationName(round / 3 % 2 == 0 ? RnnActivation::Tanh : RnnActivation::Relu);
    const RnnStepsOpArguments arguments{in.u, in.weight, in.initial, in.mask, std::string(word), in.reverse};
    const auto [h, last] = forward(arguments);
    const auto [gradU, gradWeight, gradInitial] = backward({arguments, h, {in.gradH, in.gradLast}});
    return {{"h", h},
            {"last", last},
            {"gradient of u", gradU},
            {"gradient of weight", gradWeight},
            {"gradient of initial", gradInitial}};
}

template <class Trial>
constexpr auto kByKernel = runRnn<Trial, &scanForward<RnnStepsSpec, OnCpu>, &scanBackward<RnnStepsSpec, OnCpu>>;

TEST(RnnStepsElements, WithTorchsProductsEqualTheCpuKernel)
{
    expectElementsEqualTheCpu(runRnn<StepsTrial, &rnnStepsForwardOn<OnElements>, &rnnStepsBackwardOn<OnElements>>,
                              kByKernel<StepsTrial>);
}

TEST(RnnStepsPersistent, BlocksInAnyTurnsEqualTheCpuKernel)
{
    expectPersistentEqualsTheCpu(
        runRnn<PersistentTrial, &rnnStepsForwardOn<OnPersistent>, &rnnStepsBackwardOn<OnPersistent>>,
        kByKernel<PersistentTrial>, 50);
}

} // namespace
} // namespace unroll::kernels
