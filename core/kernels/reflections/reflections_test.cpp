// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs of reflections against their definition in torch's ops and fp64, with gradients.
#include "core/kernels/reflections/reflections.h"
#include "core/kernels/reflections/reflections_case.h"
#include "core/kernels/testing/kernel_test.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;

std::vector<Named> both(const at::Tensor& values, const at::Tensor& g, const auto& function)
{
    const at::Tensor numbers = values.detach().clone().requires_grad_(true);
    const at::Tensor m = function(numbers);
    m.backward(g);
    return {{"M", m.detach()}, {"dNumbers", numbers.grad()}};
}

class ReflectionsOfTarget : public testing::TestWithParam<std::string> {
protected:
    ScopedCpuTarget target{GetParam()};
};

TEST_P(ReflectionsOfTarget, AreTheDefinitionWithItsGradient)
{
    for (at::ScalarType type : {at::kFloat, at::kDouble})
        for (const std::int64_t n : {2, 3, 4, 5, 8, 16, 17, 64}) {
            const at::Tensor numbers = at::randn({3, 50, 2 * n}, type) * 0.5, g = at::randn({3, 50, n, n}, type);
            expectClose(both(numbers, g, &reflections),
                        both(numbers.to(at::kDouble), g.to(at::kDouble), &twoReflections), type,
                        std::to_string(n) + " rows");
        }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, ReflectionsOfTarget, testing::ValuesIn(cpuTargets()),
                         [](const auto& instance) { return instance.param; });

TEST(Reflections, OfZerosAreTheIdentity)
{
    EXPECT_TRUE(reflections(at::zeros({2, 10})).equal(at::eye(5).expand({2, 5, 5})));
}

/// There is no plane then; the kernel and the definition agree on what is given instead.
TEST(Reflections, OfAVectorOfZerosTurnNothing)
{
    const at::Tensor numbers = at::randn({4, 10}), g = at::randn({4, 5, 5});
    numbers.narrow(1, 0, 5).zero_().select(1, 0).fill_(-1); // v = e1 - e1
    expectClose(both(numbers, g, &reflections), both(numbers.to(at::kDouble), g.to(at::kDouble), &twoReflections),
                at::kFloat, "v = 0");
    at::Tensor twice = numbers.clone();
    twice.narrow(1, 5, 5).copy_(numbers.narrow(1, 0, 5));
    EXPECT_TRUE(reflections(twice).equal(at::eye(5).expand({4, 5, 5})));
}

TEST(Reflections, MayBeNoneAndLieAnyhow)
{
    EXPECT_EQ(reflections(at::zeros({0, 3, 8})).sizes(), at::IntArrayRef({0, 3, 4, 4}));
    const at::Tensor numbers = at::randn({8, 40}).t(), g = at::randn({40, 4, 4}).transpose(1, 2);
    expectSameBits(both(numbers, g, &reflections), both(numbers.contiguous(), g.contiguous(), &reflections), "strides");
}

TEST(Reflections, SayWhatTheyDoNotTake)
{
    EXPECT_THAT(errorOf([] {
                    reflections(at::zeros({3, 5}));
                }),
                testing::HasSubstr("reflections: numbers has shape [3, 5], expected [..., 2 n] with n from 1 to 64"));
}

} // namespace
} // namespace unroll::kernels
