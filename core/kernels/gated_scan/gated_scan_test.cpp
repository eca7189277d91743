// SPDX-License-Identifier: GPL-3.0-or-later
// What is special to gated_scan; what every scan owes is in tests/kernels.
#include "core/kernels/gated_scan/gated_scan.h"

#include "core/kernels/common/kernel_test.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

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

} // namespace
} // namespace unroll::kernels
