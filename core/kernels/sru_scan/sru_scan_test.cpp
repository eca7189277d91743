// SPDX-License-Identifier: GPL-3.0-or-later
// What is special to sru_scan; what every scan owes is in tests/kernels.
#include "core/kernels/sru_scan/sru_scan.h"

#include "core/kernels/common/kernel_test.h"

#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

TEST(SruScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor u = at::zeros({5, 2, 3, 4});
    const at::Tensor pair = at::zeros({2, 4});
    const SruScanArguments good{u, pair, pair, at::zeros({5, 2, 4}), pair, at::zeros({5, 2}, at::kBool), pair};
    const auto message = [&](auto change) {
        SruScanArguments a = good;
        change(a);
        return errorOf([&] { sruScan(a); });
    };
    EXPECT_EQ(message([](auto&) {}), "");
    EXPECT_THAT(message([](auto& a) {
                    a.u = at::zeros({5, 2, 12});
                }),
                HasSubstr("u has shape [5, 2, 12], expected [steps, batch, k, width]"));
    EXPECT_THAT(message([](auto& a) {
                    a.u = at::zeros({5, 2, 5, 4});
                }),
                HasSubstr("u has k = 5 parts, expected 3 or 4"));
    EXPECT_THAT(message([](auto& a) { a.u = at::zeros({5, 2, 4, 4}); }), HasSubstr("x came together with k = 4"));
    EXPECT_THAT(message([](auto& a) { a.weightC = at::zeros({8}); }),
                HasSubstr("weight_c has shape [8], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) {
                    a.bias = at::zeros({2, 3});
                }),
                HasSubstr("bias has shape [2, 3], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) {
                    a.x = at::zeros({5, 2, 3});
                }),
                HasSubstr("x has shape [5, 2, 3], expected [5, 2, 4]"));
    EXPECT_THAT(message([](auto& a) { a.initial = at::zeros({4}); }),
                HasSubstr("initial has shape [4], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) {
                    a.mask = at::zeros({5, 2});
                }),
                HasSubstr("mask is Float, expected bool or uint8"));
    EXPECT_THAT(message([](auto& a) {
                    a.dropout = at::zeros({5, 2, 4});
                }),
                HasSubstr("dropout has shape [5, 2, 4], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) { a.bias = a.bias.to(at::kDouble); }), HasSubstr("bias is Double, expected Float"));
    EXPECT_THAT(message([](auto& a) { a.u = a.u.to(at::kHalf); }),
                HasSubstr("u is Half on cpu; expected float32 or float64"));
    EXPECT_THAT(message([](auto& a) { a.activation = Activation::Silu; }),
                HasSubstr("activation is \"silu\", expected one of identity, tanh"));
}

} // namespace
} // namespace unroll::kernels
