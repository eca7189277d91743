// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/state_space.h"
#include "nodes/shared/state_space_parts.h"
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/imag.h>
#include <ATen/ops/linalg_eigvals.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/real.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase s5Case(const Params& params)
{
    BlockCase made = casesOf("s5").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

at::Tensor s5Weight(const Block& block, const std::string& name)
{
    for (const Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor.detach();
    return {};
}

} // namespace

/// The eigenvalues of HiPPO-LegS plus its rank-one term: real parts -1/2, imaginary parts in pairs, within the bound
/// that specs state.
TEST(HippoFrequencies, AreTheEigenvaluesOfTheNormalPart)
{
    for (const std::int64_t size : {1, 2, 5, 16}) {
        const at::Tensor n = at::arange(size, at::kDouble), p = (n + 0.5).sqrt(), root = (2 * n + 1).sqrt();
        const at::Tensor legs = -(at::outer(root, root).tril(-1) + (n + 1).diag());
        const at::Tensor eigenvalues = at::linalg_eigvals(legs + at::outer(p, p));
        EXPECT_LT((at::real(eigenvalues) + 0.5).abs().max().item<double>(), 1e-9);
        const at::Tensor want = std::get<0>(at::imag(eigenvalues).sort());
        EXPECT_LT(difference(hippoFrequencies(size), want), 1e-9) << size;
        EXPECT_LE(want.abs().max().item<double>(), largestHippoFrequency(size));
    }
}

/// x' = A x + 1 held over a step has the solution (exp(A dt) - 1) / A; a small one in single precision too.
TEST(Discretized, IsTheSolutionOverAStep)
{
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const at::Tensor re = at::tensor({-0.5, -0.25, -2.0}, type), im = at::tensor({3.0, 0.0, 40.0}, type);
        const at::Tensor dt = at::tensor({1e-5, 0.1, 0.05}, type);
        const auto [lambda, gamma] = discretized(re, im, dt, false);
        for (std::int64_t i = 0; i < 3; ++i) {
            const std::complex<double> a(re[i].item<double>(), im[i].item<double>());
            std::complex<double> power = dt[i].item<double>(), sum = power; // Σ A^k dt^(k+1) / (k+1)!
            for (int k = 1; k < 60; ++k)
                sum += power *= a * dt[i].item<double>() / (k + 1.0);
            const std::complex<double> got(gamma[i].item<c10::complex<double>>()),
                factor(lambda[i].item<c10::complex<double>>());
            const double tight = type == at::kDouble ? 1e-13 : 3e-6;
            EXPECT_LT(std::abs(got - sum), tight * std::abs(sum));
            EXPECT_LT(std::abs(factor - std::exp(a * dt[i].item<double>())), tight);
        }
    }
}

/// The limit of (exp(A dt) - 1) / A at A = 0 is dt, and its derivative dt² / 2.
TEST(Discretized, IsTheStepWhereNothingDecaysOrRotates)
{
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const auto leaf = [&](double value) { return at::full({3}, value, type).set_requires_grad(true); };
        const at::Tensor re = leaf(0), im = leaf(0), dt = at::tensor({0.001, 0.1, 2.0}, type).set_requires_grad(true);
        const auto [lambda, gamma] = discretized(re, im, dt, false);
        EXPECT_EQ(difference(at::real(gamma).detach(), dt.detach()), 0);
        EXPECT_EQ(at::imag(gamma).abs().max().item<double>(), 0);
        EXPECT_EQ((at::real(lambda) - 1).abs().max().item<double>(), 0);
        (at::real(gamma) + 3 * at::imag(gamma)).sum().backward();
        const double tight = type == at::kDouble ? 1e-15 : 1e-6;
        const at::Tensor slope = dt.detach().square() / 2;
        EXPECT_LT(difference(re.grad(), slope), tight);
        EXPECT_LT(difference(im.grad(), 3 * slope), tight);
        EXPECT_LT((dt.grad() - 1).abs().max().item<double>(), tight);
    }
}

/// Both forms of gamma at the place where one takes over from the other, and gradients that follow differences.
TEST(Discretized, TheSeriesMeetsTheQuotient)
{
    for (const double size : {1e-12, 1e-5, 0.01, 0.0312, 0.0313, 0.1})
        for (const double angle : {0.5, 1.0, 0.75}) {
            const std::complex<double> a = std::polar(size, angle * std::numbers::pi);
            const auto gammaOf = [](std::complex<double> at) { // (exp(z) - 1) / z by its series, in long double
                const std::complex<long double> z(at);
                std::complex<long double> power = 1, sum = 1;
                for (int k = 2; k < 30; ++k)
                    sum += power *= z / static_cast<long double>(k);
                return std::complex<double>(sum);
            };
            const at::Tensor re = at::full({1}, a.real(), at::kDouble).set_requires_grad(true);
            const at::Tensor im = at::full({1}, a.imag(), at::kDouble).set_requires_grad(true);
            const auto [lambda, gamma] = discretized(re, im, at::ones({1}, at::kDouble), false);
            const std::complex<double> got(gamma[0].item<c10::complex<double>>());
            EXPECT_LT(std::abs(got - gammaOf(a)), 1e-15 * std::abs(gammaOf(a))) << a;
            at::real(gamma).sum().backward();
            const double apart = 1e-4;
            const double slope = (gammaOf(a + apart) - gammaOf(a - apart)).real() / (2 * apart);
            EXPECT_NEAR(re.grad()[0].item<double>(), slope, 1e-8) << a;
        }
}

/// Modes that neither decay nor rotate sum what comes in, and can leave that place by their gradients.
TEST(S5, ModesAtZeroSum)
{
    const BlockCase made = s5Case({{"conj_sym", true}});
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
        const auto block = build(made, 1, type);
        {
            const at::NoGradGuard values;
            for (const char* name : {"Lambda_re", "Lambda_im"})
                s5Weight(*block, name).zero_();
        }
        const at::Tensor x = at::randn({7, 2, made.inputs.at("x").width}, generatorOf(3), at::kDouble).to(type);
        const at::Tensor y = block->forward({{x}, {}, {}}, {})[0][0];
        const at::Tensor b = at::view_as_complex(s5Weight(*block, "B")), c = at::view_as_complex(s5Weight(*block, "C"));
        const at::Tensor entering = at::matmul(x.to(b.scalar_type()), b.t()) * s5Weight(*block, "log_step").exp();
        const at::Tensor want = at::real(at::matmul(entering.cumsum(0), c.t())) * 2 + s5Weight(*block, "D") * x;
        EXPECT_LT(difference(y.detach(), want), type == at::kDouble ? 1e-13 : 1e-4);
        y.square().sum().backward();
        for (const Weight& weight : block->weights()) {
            EXPECT_TRUE(weight.tensor.grad().isfinite().all().item<bool>()) << weight.name;
            EXPECT_GT(weight.tensor.grad().abs().min().item<double>(), 0) << weight.name;
        }
    }
}

/// Pairs of HiPPO-N by their positive half, block by block.
TEST(S5, BeginsWithHippo)
{
    const auto whole = buildUnshaken(s5Case({{"state_size", std::int64_t{6}}}), 1, at::kDouble);
    EXPECT_LT(difference(s5Weight(*whole, "Lambda_im"), hippoFrequencies(12).narrow(0, 6, 6)), 1e-14);
    const auto parts = buildUnshaken(
        s5Case({{"state_size", std::int64_t{6}}, {"blocks", std::int64_t{2}}, {"conj_sym", false}}), 1, at::kDouble);
    EXPECT_LT(difference(s5Weight(*parts, "Lambda_im"), hippoFrequencies(3).repeat({2})), 1e-14);
    const at::Tensor step = s5Weight(
        *buildUnshaken(s5Case({{"state_size", std::int64_t{4000}}, {"blocks", std::int64_t{1000}}}), 1, at::kDouble),
        "log_step");
    EXPECT_GE(step.min().item<double>(), std::log(0.001));
    EXPECT_LE(step.max().item<double>(), std::log(0.1));
    EXPECT_NEAR(step.mean().item<double>(), std::log(0.01), 0.1);
}

/// A conjugate pair written out: twice the modes, without conj_sym, with conjugate weights.
TEST(S5, AModeStandsForItsPair)
{
    const BlockCase half = s5Case({{"state_size", std::int64_t{3}}}),
                    all = s5Case({{"state_size", std::int64_t{6}}, {"conj_sym", false}});
    const auto one = build(half), both = build(all);
    const at::NoGradGuard values;
    for (std::size_t i = 0; i < one->weights().size(); ++i) {
        const at::Tensor from = one->weights()[i].tensor, into = both->weights()[i].tensor;
        if (one->weights()[i].name == "D") {
            into.copy_(from);
            continue;
        }
        const std::int64_t modes = one->weights()[i].name == "C" ? 1 : 0;
        at::Tensor conjugate = from.clone();
        if (from.dim() == 3)
            conjugate.select(2, 1).neg_();
        else if (one->weights()[i].name == "Lambda_im")
            conjugate.neg_();
        into.narrow(modes, 0, 3).copy_(from);
        into.narrow(modes, 3, 3).copy_(conjugate);
    }
    at::Generator random = generatorOf(3);
    const at::Tensor x = at::randn({9, 2, half.inputs.at("x").width}, random, at::kDouble);
    EXPECT_LT(difference(one->forward({{x}, {}, {}}, {})[0][0], both->forward({{x}, {}, {}}, {})[0][0]), 1e-13);
}

/// Eigenvalues pushed to the right of the axis: the state grows, or not.
TEST(S5, ClippedModesDoNotGrow)
{
    for (const bool clips : {false, true}) {
        const BlockCase made = s5Case({{"clip_eigs", clips}});
        const auto block = buildUnshaken(made, 1, at::kDouble);
        {
            const at::NoGradGuard values;
            s5Weight(*block, "Lambda_re").fill_(2);
            s5Weight(*block, "log_step").fill_(std::log(0.1));
        }
        const std::int64_t states = std::get<std::int64_t>(made.params.at("state_size"));
        const at::Tensor start = at::ones({1, states}, at::kDouble);
        const auto last =
            block->forward({{at::zeros({50, 1, made.inputs.at("x").width}, at::kDouble)}, {start, start}, {}}, {})[1];
        const double grown = (last[0].square() + last[1].square()).sqrt().max().item<double>() / std::numbers::sqrt2;
        if (clips)
            EXPECT_LT(grown, 1);
        else
            EXPECT_NEAR(grown, std::exp(2 * 0.1 * 50), 1);
    }
}

} // namespace unroll::nodes
