// SPDX-License-Identifier: GPL-3.0-or-later
// What is special to diag_scan; what every scan owes is in tests/kernels.
#include "core/kernels/diag_scan/diag_scan.h"

#include "core/kernels/common/kernel_test.h"
#include "core/kernels/diag_scan/diag_scan_case.h"

#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

/// A memory that hardly fades: what comes in early is still there after thousands of steps, and the gradient of a constant a is a long sum.
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

} // namespace
} // namespace unroll::kernels
