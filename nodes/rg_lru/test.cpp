// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase rgLruCase(const Params& params, std::int64_t width)
{
    BlockCase made = casesOf("rg_lru").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    made.inputs["x"].width = made.inputs["state"].width = width;
    return made;
}

at::Tensor rgLruWeight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

void setRgLruWeight(Block& block, const std::string& name, double value)
{
    const at::NoGradGuard values;
    rgLruWeight(block, name).fill_(value);
}

} // namespace

/// exp(-softplus(a_param)) is uniform by area in the ring of a; the eighth root of it where the ring is that of a⁸.
TEST(RgLru, BeginsInTheRing)
{
    for (const std::string of : {"a", "a_to_c"}) {
        SCOPED_TRACE(of);
        const auto block =
            buildUnshaken(rgLruCase({{"min_rad", 0.5}, {"max_rad", 0.9}, {"ring_of", of}}, 4000), 1, at::kDouble);
        const at::Tensor a = (-at::softplus(rgLruWeight(*block, "a_param"))).exp();
        const at::Tensor radius = of == "a" ? a : a.pow(8);
        EXPECT_GE(radius.min().item<double>(), 0.5 - 1e-12);
        EXPECT_LE(radius.max().item<double>(), 0.9 + 1e-12);
        EXPECT_NEAR(radius.square().mean().item<double>(), (0.25 + 0.81) / 2, 0.01);
    }
}

/// Their logarithms are infinite or 0.
TEST(RgLru, BeginsFiniteWhereverTheRingEnds)
{
    for (const Params& ring : {Params{{"min_rad", 0.0}, {"max_rad", 1.0}}, Params{{"min_rad", 0.0}, {"max_rad", 1e-9}},
                               Params{{"min_rad", 0.999999}, {"max_rad", 1.0}}})
        for (at::ScalarType type : {at::kFloat, at::kDouble}) {
            const auto block = buildUnshaken(rgLruCase(ring, 500), 7, type);
            EXPECT_TRUE(rgLruWeight(*block, "a_param").isfinite().all().item<bool>());
        }
}

/// r is a half with weights and biases of 0: what came in n steps ago has faded to a^(4 n).
TEST(RgLru, AMemoryFadesAtTheRateOfItsGate)
{
    const BlockCase made = rgLruCase({}, 6);
    const auto block = build(made);
    for (const char* name : {"a_gate.w", "a_gate.b"})
        setRgLruWeight(*block, name, 0);
    const at::Tensor start = at::randn({2, 6}, generatorOf(3), at::kDouble);
    const auto outputs = block->forward({{at::zeros({5, 2, 6}, at::kDouble)}, {start}, {}}, {});
    const at::Tensor want = start * (at::softplus(rgLruWeight(*block, "a_param")) * (-4.0 * 5)).exp();
    EXPECT_LT(difference(outputs[1][0], want), 1e-14);
}

/// A recurrence gate that is shut in single precision, r = 0: the state stays, nothing enters, and gradients are
/// numbers.
TEST(RgLru, AShutGateKeepsTheState)
{
    const BlockCase made = rgLruCase({}, 6);
    const auto block = build(made, 1, at::kFloat);
    setRgLruWeight(*block, "a_gate.w", 0);
    setRgLruWeight(*block, "a_gate.b", -200);
    const at::Tensor start = at::randn({2, 6}, generatorOf(3), at::kFloat);
    at::Tensor x = at::randn({5, 2, 6}, generatorOf(4), at::kFloat).set_requires_grad(true);
    const auto outputs = block->forward({{x}, {start}, {}}, {});
    EXPECT_LT(difference(outputs[1][0], start), 1e-6);
    outputs[0][0].sum().backward();
    EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
    for (const Weight& weight : block->weights())
        EXPECT_TRUE(weight.tensor.grad().isfinite().all().item<bool>()) << weight.name;
}

/// With white input of variance 1 and open input gates the state's variance is 1, whatever the decay.
TEST(RgLru, TheScaleOfTheStateDoesNotDependOnTheDecay)
{
    const BlockCase made = rgLruCase({}, 6);
    const auto block = build(made);
    for (const char* name : {"a_gate.w", "a_gate.b", "input_gate.w"})
        setRgLruWeight(*block, name, 0);
    setRgLruWeight(*block, "input_gate.b", 50);
    const at::Tensor rates = rgLruWeight(*block, "a_param");
    for (std::int64_t unit = 0; unit < 6; ++unit) // moduli 0.5 to 0.97 at r = ½
        rates[unit] = std::log(std::expm1(-std::log(0.5 + 0.094 * static_cast<double>(unit)) / 4));
    const at::Tensor x = at::randn({4000, 4, 6}, generatorOf(5), at::kDouble);
    const at::Tensor h = block->forward({{x}, {}, {}}, {})[0][0].narrow(0, 400, 3600);
    EXPECT_LT((h.square().flatten(0, 1).mean(0) - 1).abs().max().item<double>(), 0.25);
}

} // namespace unroll::nodes
