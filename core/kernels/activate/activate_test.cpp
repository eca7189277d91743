// SPDX-License-Identifier: GPL-3.0-or-later
// Functions of elements against torch's in fp64, with their gradients, on every instruction set.
#include "core/kernels/activate/activate.h"
#include "core/kernels/common/kernel_test.h"
#include "core/kernels/common/tensor_checks.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tanh.h>
#include <c10/util/accumulate.h>

namespace unroll::kernels {
namespace {

using namespace test;

struct Pair {
    ElementFunction ours;
    at::Tensor (*theirs)(const at::Tensor&);
};

const Pair pairs[] = {{ElementFunction::Sigmoid, &at::sigmoid},
                      {ElementFunction::Tanh, &at::tanh},
                      {ElementFunction::Silu, &at::silu},
                      {ElementFunction::Gelu, [](const at::Tensor& x) { return at::gelu(x); }}};

/// The value and the gradient of x.
std::vector<Named> both(const at::Tensor& values, const at::Tensor& g, const auto& function)
{
    const at::Tensor x = values.detach().clone().requires_grad_(true);
    const at::Tensor y = function(x);
    y.backward(g);
    return {{"y", y.detach()}, {"dx", x.grad()}};
}

class Activations : public testing::TestWithParam<std::string> {
protected:
    ScopedCpuTarget target{GetParam()};

    static void expectTorchs(const at::Tensor& x)
    {
        const at::Tensor g = at::randn(x.sizes(), x.options());
        for (const Pair& pair : pairs) {
            const auto got = both(x, g, [&](const at::Tensor& v) { return activate(v, pair.ours); });
            const auto want = both(x.to(at::kDouble), g.to(at::kDouble), pair.theirs);
            expectClose(got, want, x.scalar_type(), "function " + std::to_string(static_cast<int>(pair.ours)));
        }
    }
};

TEST_P(Activations, AreTorchsWithTheirGradients)
{
    for (at::ScalarType type : {at::kFloat, at::kDouble})
        for (const std::vector<std::int64_t>& sizes :
             {std::vector<std::int64_t>{}, {1}, {17}, {3, 5, 7}, {9000, 11}, {0, 4}})
            expectTorchs(at::linspace(-2.5, 2.6, c10::multiply_integers(sizes), type).view(sizes));
}

TEST_P(Activations, HoldFarOut)
{
    for (at::ScalarType type : {at::kFloat, at::kDouble})
        expectTorchs(at::linspace(-40, 40, 4001, type));
}

TEST_P(Activations, TakeAnyStrides)
{
    expectTorchs(at::randn({33, 20}).t());
    expectTorchs(at::randn({6, 40}).slice(1, 3, 30, 2));
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Activations, testing::ValuesIn(cpuTargets()),
                         [](const auto& instance) { return instance.param; });

TEST(Activate, GivesTheSameBitsOnAnyNumberOfThreads)
{
    const at::Tensor x = at::randn({1000, 333}), g = at::randn({1000, 333});
    const auto gelu = [](const at::Tensor& v) { return activate(v, ElementFunction::Gelu); };
    const ScopedThreads one(1);
    const auto alone = both(x, g, gelu);
    const ScopedThreads three(3);
    expectSameBits(both(x, g, gelu), alone, "gelu");
}

TEST(Activate, SaysWhatItDoesNotTake)
{
    const at::Tensor whole = at::randn({3}).to(at::kInt);
    EXPECT_FALSE(hasRowKernel(whole));
    EXPECT_THAT(errorOf([&] { activate(whole, ElementFunction::Gelu); }),
                testing::HasSubstr("activate: x is Int on cpu; expected float32 or float64"));
}

} // namespace
} // namespace unroll::kernels
