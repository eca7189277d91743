// SPDX-License-Identifier: GPL-3.0-or-later
// What is special to diag_scan, gated_scan and sru_scan; what every scan owes is in scan_test.cpp.
#include "core/kernels/diag_scan/diag_scan.h"
#include "core/kernels/gated_scan/gated_scan.h"
#include "core/kernels/sru_scan/sru_scan.h"
#include "core/kernels/testing/kernel_test.h"
#include "core/kernels/testing/scan_kernels.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

/// A memory that hardly decays: what comes in early is still there after thousands of steps, and the gradient of a
/// constant a is a long sum.
TEST(DiagScanValues, LongMemoriesKeepTheirDigits)
{
    for (unsigned round : {2u, 3u}) { // a constant a: real, complex
        const auto c = diagScanKernel().variant({4097, 2, 5}, round);
        Trial trial = drawTrial(*c, 4);
        c->extremes()[0].apply(trial.numbers);
        expectClose(byKernel(*c, trial, at::kFloat), byPlainLoop(*c, trial, at::kDouble), at::kFloat, c->describe());
    }
}

TEST(DiagScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor a = at::zeros({5, 2, 4}), state = at::zeros({2, 4});
    const auto message = [&](const at::Tensor& factor, const at::Tensor& b, std::optional<at::Tensor> initial) {
        return errorOf([&] { diagScan(factor, b, initial, std::nullopt); });
    };
    EXPECT_EQ(message(a, a, state), "");
    EXPECT_EQ(message(at::zeros({4}), a, state), "");
    EXPECT_THAT(message(a, at::zeros({5, 4}), state), HasSubstr("b has shape [5, 4], expected [steps, batch, width]"));
    EXPECT_THAT(message(state, a, state), HasSubstr("a has shape [2, 4], expected [steps, batch, width] or [width]"));
    EXPECT_THAT(message(at::zeros({3}), a, state), HasSubstr("a has shape [3], expected [4]"));
    EXPECT_THAT(message(a, a, at::zeros({2, 5})), HasSubstr("initial has shape [2, 5], expected [2, 4]"));
    EXPECT_THAT(message(a.to(at::kComplexFloat), a, state), HasSubstr("a is ComplexFloat, expected Float"));
    EXPECT_THAT(message(a, a.to(at::kHalf), state),
                HasSubstr("is Half on cpu; expected float32, float64, complex64 or complex128"));
}

TEST(GatedScanValues, ASaturatedForgetGateHoldsTheState)
{
    const at::Tensor initial = Draw(5).normal({2, 19});
    const at::Tensor open = at::full({64, 2, 19}, 30.0), shut = at::full({64, 2, 19}, -30.0);
    for (const std::string& target : cpuTargets()) {
        const ScopedCpuTarget scope(target);
        const at::Tensor last = gatedScan({open, shut, shut}, initial, std::nullopt, {}).last;
        EXPECT_LE(relativeRms(last, initial), 1e-6) << target << ": nothing comes in, nothing leaks";
    }
}

TEST(GatedScanSizes, WithoutAnInitialStateItIsZeros)
{
    const at::Tensor gates = at::zeros({0, 2, 9});
    EXPECT_FALSE(gatedScan(gates, std::nullopt, std::nullopt, {}).last.any().item<bool>());
}

TEST(GatedScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor gates = at::zeros({5, 2, 12});
    const at::Tensor state = at::zeros({2, 4});
    const auto message = [&](at::TensorList g, std::optional<at::Tensor> initial, std::optional<at::Tensor> mask) {
        return errorOf([&] { gatedScan(g, initial, mask, {}); });
    };
    EXPECT_EQ(message(gates, state, std::nullopt), "");
    EXPECT_THAT(message({}, state, std::nullopt), HasSubstr("gated_scan: no gate tensors came, expected 1 to 3"));
    EXPECT_THAT(message(at::zeros({5, 12}), state, std::nullopt),
                HasSubstr("shape [5, 12], expected [steps, batch, n * width]"));
    EXPECT_THAT(message(at::zeros({5, 2, 11}), state, std::nullopt),
                HasSubstr("11 wide together, expected a multiple of 3"));
    EXPECT_THAT(message({at::zeros({5, 2, 5}), at::zeros({5, 2, 7})}, state, std::nullopt),
                HasSubstr("gate tensor 0 is 5 wide, expected a multiple of the width 4"));
    EXPECT_THAT(message({at::zeros({5, 2, 8}), at::zeros({5, 3, 4})}, state, std::nullopt),
                HasSubstr("a gate tensor has shape [5, 3, 4], expected [5, 2, 4]"));
    EXPECT_THAT(message(gates, at::zeros({2, 5}), std::nullopt),
                HasSubstr("initial has shape [2, 5], expected [2, 4]"));
    EXPECT_THAT(message(gates, state.to(at::kDouble), std::nullopt), HasSubstr("initial is Double, expected Float"));
    EXPECT_THAT(message(gates, state, at::zeros({2, 5}, at::kBool)),
                HasSubstr("mask has shape [2, 5], expected [5, 2]"));
    EXPECT_THAT(message(gates, state, at::zeros({5, 2})), HasSubstr("mask is Float, expected bool or uint8"));
    EXPECT_THAT(message(gates.to(at::kHalf), state, std::nullopt),
                HasSubstr("is Half on cpu; expected float32 or float64"));
    EXPECT_THAT(message(gates.to(at::kBFloat16), state, std::nullopt), HasSubstr("is BFloat16 on cpu"));
}

TEST(SruScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor u = at::zeros({5, 2, 3, 4}), pair = at::zeros({2, 4});
    const SruScanArguments good{u, pair, pair, at::zeros({5, 2, 4}), pair, at::zeros({5, 2}, at::kBool), pair};
    EXPECT_EQ(errorOf([&] { sruScan(good); }), "");
    const auto expect = [&](auto SruScanArguments::*argument, const auto& value, const char* message) {
        SruScanArguments a = good;
        a.*argument = value;
        EXPECT_THAT(errorOf([&] { sruScan(a); }), HasSubstr(message));
    };
    using A = SruScanArguments;
    expect(&A::u, at::zeros({5, 2, 12}), "u has shape [5, 2, 12], expected [steps, batch, k, width]");
    expect(&A::u, at::zeros({5, 2, 5, 4}), "u has k = 5 parts, expected 3 or 4");
    expect(&A::u, at::zeros({5, 2, 4, 4}), "x came together with k = 4");
    expect(&A::weightC, at::zeros({8}), "weight_c has shape [8], expected [2, 4]");
    expect(&A::bias, at::zeros({2, 3}), "bias has shape [2, 3], expected [2, 4]");
    expect(&A::x, at::zeros({5, 2, 3}), "x has shape [5, 2, 3], expected [5, 2, 4]");
    expect(&A::initial, at::zeros({4}), "initial has shape [4], expected [2, 4]");
    expect(&A::mask, at::zeros({5, 2}), "mask is Float, expected bool or uint8");
    expect(&A::dropout, at::zeros({5, 2, 4}), "dropout has shape [5, 2, 4], expected [2, 4]");
    expect(&A::bias, pair.to(at::kDouble), "bias is Double, expected Float");
    expect(&A::u, u.to(at::kHalf), "u is Half on cpu; expected float32 or float64");
    expect(&A::activation, Activation::Silu, "activation is \"silu\", expected one of identity, tanh");
}

} // namespace
} // namespace unroll::kernels
