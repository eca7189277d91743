// SPDX-License-Identifier: GPL-3.0-or-later
// Causal attention against its definition in torch's ops and fp64, with gradients.
#include "core/kernels/attention/attention.h"
#include "core/kernels/attention/attention_case.h"
#include "core/kernels/testing/kernel_test.h"

#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;

struct Trial {
    std::int64_t steps, batch, heads, features;
    bool turned;
};

std::vector<Named> both(const Trial& trial, const at::Tensor& values, const at::Tensor& g, const auto& function)
{
    const at::Tensor qkv = values.detach().clone().requires_grad_(true);
    const Turned turned = trial.turned ? turnedBy(trial.steps, trial.features, qkv.scalar_type()) : Turned();
    const at::Tensor y = function(qkv, trial.heads, turned.cos, turned.sin);
    y.backward(g);
    return {{"y", y.detach()}, {"dqkv", qkv.grad()}};
}

class AttentionOfTarget : public testing::TestWithParam<std::string> {
protected:
    ScopedCpuTarget target{GetParam()};
};

TEST_P(AttentionOfTarget, IsTheDefinitionWithItsGradient)
{
    for (at::ScalarType type : {at::kFloat, at::kDouble})
        for (const Trial& t : {Trial{1, 1, 1, 1, false},
                               {1, 2, 1, 2, true},
                               {2, 3, 2, 5, false},
                               {7, 1, 3, 16, true},
                               {63, 2, 1, 30, true},
                               {64, 2, 2, 64, true},
                               {65, 1, 2, 33, false},
                               {200, 1, 1, 72, true}}) {
            const std::int64_t width = t.heads * t.features;
            const at::Tensor qkv = at::randn({t.steps, t.batch, 3 * width}, type) * 2;
            const at::Tensor g = at::randn({t.steps, t.batch, width}, type);
            expectClose(both(t, qkv, g, &causalAttention),
                        both(t, qkv.to(at::kDouble), g.to(at::kDouble), &attentionByDefinition), type,
                        std::to_string(t.steps) + " steps, " + std::to_string(t.features) + " features");
        }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, AttentionOfTarget, testing::ValuesIn(cpuTargets()),
                         [](const auto& instance) { return instance.param; });

TEST(CausalAttention, OneStepTakesItsOwnValue)
{
    const at::Tensor qkv = at::randn({1, 3, 24});
    EXPECT_TRUE(causalAttention(qkv, 2).equal(qkv.narrow(2, 16, 8)));
}

TEST(CausalAttention, LooksAtNothingThatComesLater)
{
    at::Tensor qkv = at::randn({100, 2, 3 * 32});
    const at::Tensor before = causalAttention(qkv, 2);
    qkv.narrow(0, 70, 30).fill_(1e30);
    EXPECT_TRUE(causalAttention(qkv, 2).narrow(0, 0, 70).equal(before.narrow(0, 0, 70)));
}

TEST(CausalAttention, MayBeOfNoneAndLieAnyhow)
{
    EXPECT_EQ(causalAttention(at::zeros({0, 3, 24}), 2).sizes(), at::IntArrayRef({0, 3, 8}));
    EXPECT_EQ(causalAttention(at::zeros({5, 0, 24}), 2).sizes(), at::IntArrayRef({5, 0, 8}));
    const Trial trial{20, 3, 2, 8, true};
    const at::Tensor values = at::randn({3, 20, 48}).transpose(0, 1), g = at::randn({16, 3, 20}).permute({2, 1, 0});
    expectSameBits(both(trial, values, g, &causalAttention),
                   both(trial, values.contiguous(), g.contiguous(), &causalAttention), "strides");
}

TEST(CausalAttention, SaysWhatItDoesNotTake)
{
    const auto error = [](const at::Tensor& qkv, std::int64_t heads, const at::Tensor& angles) {
        return errorOf([&] { causalAttention(qkv, heads, angles, angles); });
    };
    const at::Tensor qkv = at::zeros({5, 2, 24});
    EXPECT_THAT(error(qkv, 3, {}), testing::HasSubstr("causal_attention: qkv has shape [5, 2, 24], expected "
                                                      "[steps, batch, 3 width] with width in 3 equal parts"));
    EXPECT_THAT(error(qkv, 0, {}), testing::HasSubstr("causal_attention: heads is 0, expected 1 or more"));
    EXPECT_THAT(error(qkv, 2, at::zeros({1, 4, 2})),
                testing::HasSubstr("causal_attention: cos has shape [1, 4, 2], expected [1, 5, 2]"));
    EXPECT_THAT(error(qkv, 8, at::zeros({1, 5, 0})),
                testing::HasSubstr("heads have 1 features, expected an even number"));
}

} // namespace
} // namespace unroll::kernels
