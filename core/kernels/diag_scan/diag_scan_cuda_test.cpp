// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launchers, as far as a machine without a GPU can show: arguments are refused before anything is started. And bf16 columns,
// run on the CPU.
#include "core/kernels/diag_scan/diag_scan_cuda.h"

#include "core/kernels/diag_scan/diag_scan_column.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace unroll::kernels {
namespace {

template <typename Scan>
Scan diagSized(std::int64_t steps, std::int64_t batch, std::int64_t width)
{
    Scan scan;
    scan.steps = steps;
    scan.batch = batch;
    scan.width = width;
    return scan;
}

template <typename Io, typename State>
void expectDiagRefusals()
{
    using Forward = DiagScanForward<Io, State>;
    using Backward = DiagScanBackward<Io, State>;
    EXPECT_EQ(diagScanForwardCuda(diagSized<Forward>(-1, 2, 3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(diagScanForwardCuda(diagSized<Forward>(4, 2, 3), nullptr), cudaErrorInvalidValue) << "no arrays";
    EXPECT_EQ(diagScanForwardCuda(diagSized<Forward>(4, 0, 3), nullptr), cudaSuccess) << "nothing to do";
    EXPECT_EQ(diagScanBackwardCuda(diagSized<Backward>(4, 2, -3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(diagScanBackwardCuda(diagSized<Backward>(4, 2, 3), nullptr), cudaErrorInvalidValue) << "no arrays";
    EXPECT_EQ(diagScanBackwardCuda(diagSized<Backward>(0, 2, 0), nullptr), cudaSuccess) << "nothing to do";
}

TEST(DiagScanCuda, BadArgumentsAreRefused)
{
    expectDiagRefusals<float, float>();
    expectDiagRefusals<double, double>();
    expectDiagRefusals<__nv_bfloat16, float>();
    expectDiagRefusals<ComplexPair<float>, ComplexPair<float>>();
    expectDiagRefusals<ComplexPair<double>, ComplexPair<double>>();
}

TEST(DiagScanCuda, ExactlyOneFactorMustBeThere)
{
    std::vector<float> data(24);
    auto scan = diagSized<DiagScanForward<float, float>>(4, 2, 3);
    scan.b = {data.data(), 6, 3};
    scan.h = {data.data(), 6, 3};
    scan.last = {data.data(), 0, 3};
    EXPECT_FALSE(complete(scan));
    scan.constant = {data.data(), 0, 0};
    EXPECT_TRUE(complete(scan));
    scan.a = {data.data(), 6, 3};
    EXPECT_FALSE(complete(scan));
}

TEST(DiagScanCuda, TooManyColumnsForAGridAreRefused)
{
    std::vector<float> one(1);
    auto scan = diagSized<DiagScanForward<float, float>>(1, std::int64_t(1) << 32, std::int64_t(1) << 10);
    scan.a = scan.b = {one.data(), 0, 0};
    scan.h = scan.last = {one.data(), 0, 0};
    EXPECT_EQ(diagScanForwardCuda(scan, nullptr), cudaErrorInvalidValue);
}

/// The state is carried in fp32, so bf16 loses only what reading and writing bf16 loses.
TEST(DiagScanCuda, Bf16ColumnsStayWithinAHundredth)
{
    constexpr std::int64_t steps = 300;
    std::vector<__nv_bfloat16> b(steps), h(steps);
    for (std::int64_t t = 0; t < steps; ++t)
        b[t] = __nv_bfloat16(static_cast<float>(2 * std::cos(0.31 * t)));
    std::vector<float> last(1), a = {0.995f};
    auto scan = diagSized<DiagScanForward<__nv_bfloat16, float>>(steps, 1, 1);
    scan.constant = {a.data(), 0, 0};
    scan.b = {b.data(), 1, 1};
    scan.h = {h.data(), 1, 1};
    scan.last = {last.data(), 0, 1};
    DiagScanForwardColumn<__nv_bfloat16, float>(scan, 0, 0).run();

    double state = 0, error = 0, size = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
        state = static_cast<double>(a[0]) * state + static_cast<float>(b[t]);
        error += std::pow(static_cast<float>(h[t]) - state, 2);
        size += state * state;
    }
    EXPECT_LE(std::sqrt(error / size), 1e-2);
    EXPECT_NEAR(last[0], state, 1e-4 * std::abs(state)) << "the final state is fp32";
}

} // namespace
} // namespace unroll::kernels
