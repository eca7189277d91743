// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/state_space.h"
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/real.h>
#include <ATen/ops/view_as_complex.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase s4dCase(const Params& params)
{
    BlockCase made = casesOf("s4d").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

at::Tensor s4dWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

} // namespace

/// The authors' kernel K = 2 Re Σ C (exp(A dt) - 1) / A exp(A dt k), convolved with the input.
TEST(S4d, IsTheAuthorsConvolution)
{
    const BlockCase made = s4dCase({});
    const auto block = build(made);
    constexpr std::int64_t kSteps = 11;
    const at::Tensor x = at::randn({kSteps, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble);
    const at::Tensor a = at::complex(-s4dWeight(*block, "kernel.log_A_real").exp(), s4dWeight(*block, "kernel.A_imag"));
    const at::Tensor step = a * s4dWeight(*block, "kernel.log_dt").exp().unsqueeze(1);
    const at::Tensor c = at::view_as_complex(s4dWeight(*block, "kernel.C")) * (step.exp() - 1) / a;
    at::Tensor want = s4dWeight(*block, "D") * x;
    for (std::int64_t k = 0; k < kSteps; ++k) {
        const at::Tensor kernel = at::real((c * (step * static_cast<double>(k)).exp()).sum(1)) * 2;
        want.narrow(0, k, kSteps - k) += kernel * x.narrow(0, 0, kSteps - k);
    }
    EXPECT_LT(difference(block->forward({{x}, {}, {}}, {})[0][0], want), 1e-12);
}

/// The first mode of `lin` does not rotate; one that does not decay either sums. exp(-120) is 0 in single precision.
TEST(S4d, AModeAtZeroSums)
{
    const BlockCase made = s4dCase({{"state_size", std::int64_t{3}}, {"init", std::string("lin")}});
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const auto block = build(made, 1, type);
        {
            const at::NoGradGuard values;
            s4dWeight(*block, "kernel.log_A_real").fill_(-120);
            s4dWeight(*block, "kernel.A_imag").select(1, 0).zero_();
            s4dWeight(*block, "kernel.C").narrow(1, 1, 2).zero_();
        }
        const at::Tensor x = at::randn({9, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble).to(type);
        const at::Tensor y = block->forward({{x}, {}, {}}, {})[0][0];
        const at::Tensor c = s4dWeight(*block, "kernel.C").select(1, 0).select(1, 0);
        const at::Tensor want =
            s4dWeight(*block, "kernel.log_dt").exp() * c * x.cumsum(0) * 2 + s4dWeight(*block, "D") * x;
        EXPECT_LT(difference(y.detach(), want), type == at::kDouble ? 1e-13 : 1e-4);
        y.square().sum().backward();
        for (const Weight& weight : block->weights())
            EXPECT_TRUE(weight.tensor.grad().isfinite().all().item<bool>()) << weight.name;
    }
}

TEST(S4d, BeginsWithTheFrequenciesOfItsRule)
{
    const auto frequencies = [](const char* rule) {
        const auto block =
            buildUnshaken(s4dCase({{"state_size", std::int64_t{4}}, {"init", std::string(rule)}}), 1, at::kDouble);
        const at::Tensor rows = s4dWeight(*block, "kernel.A_imag");
        EXPECT_EQ((rows - rows[0]).abs().max().item<double>(), 0) << "all features alike";
        return rows[0];
    };
    EXPECT_LT(difference(frequencies("lin"), at::arange(4, at::kDouble) * std::numbers::pi), 1e-14);
    EXPECT_LT(difference(frequencies("legs"), hippoFrequencies(8).narrow(0, 4, 4)), 1e-14);
    const at::Tensor inverse = frequencies("inv");
    EXPECT_NEAR(inverse[0].item<double>(), 8 / std::numbers::pi * 7, 1e-12);
    EXPECT_NEAR(inverse[3].item<double>(), 8 / std::numbers::pi * (8.0 / 7 - 1), 1e-12);
}

/// No feature reads another.
TEST(S4d, FeaturesAreApart)
{
    const BlockCase made = s4dCase({});
    const auto block = build(made);
    at::Tensor x = at::randn({7, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble);
    const at::Tensor y = block->forward({{x}, {}, {}}, {})[0][0];
    x.select(2, 1) += 1;
    at::Tensor changed = (block->forward({{x}, {}, {}}, {})[0][0] - y).abs().amax({0, 1});
    EXPECT_GT(changed[1].item<double>(), 1e-3);
    changed[1] = 0;
    EXPECT_EQ(changed.max().item<double>(), 0);
}

} // namespace unroll::nodes
