// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launcher, as far as a machine without a GPU can show, and bf16 columns, run on the CPU.
#include "core/kernels/common/launch_test.h"
#include "core/kernels/sru_scan/sru_scan_column.h"

namespace unroll::kernels {
namespace {

using namespace test;

TEST(SruScanCuda, BadArgumentsAreRefused)
{
    expectRefusalsBothWays<SruScanForward, SruScanBackward, float, float>();
    expectRefusalsBothWays<SruScanForward, SruScanBackward, double, double>();
    expectRefusalsBothWays<SruScanForward, SruScanBackward, __nv_bfloat16, float>();
    auto silu = sized<SruScanForward<float, float>>(4, 0, 3);
    silu.activation = Activation::Silu;
    EXPECT_EQ(launchScan(silu, nullptr), cudaErrorInvalidValue);
}

TEST(SruScanCuda, ASkipInputNeedsItsGradient)
{
    std::vector<float> data(24);
    auto scan = sized<SruScanBackward<float, float>>(4, 2, 3);
    scan.candidate = scan.forget = scan.reset = scan.skip = scan.c = rowsIn<const float>(data, 2, 3);
    scan.forgetWeight = scan.resetWeight = scan.forgetBias = scan.resetBias = data.data();
    scan.gradCandidate = scan.gradForget = scan.gradReset = scan.gradInitial = rowsIn<float>(data, 2, 3);
    scan.gradWeights = data.data();
    EXPECT_EQ(launchScan(scan, nullptr), cudaErrorInvalidValue);
    scan.gradSkip = rowsIn<float>(data, 2, 3);
    EXPECT_TRUE(complete(scan));
}

/// The state is carried in fp32, so bf16 loses only what reading and writing bf16 loses.
TEST(SruScanCuda, Bf16ColumnsStayWithinAHundredth)
{
    constexpr std::int64_t steps = 300;
    std::vector<__nv_bfloat16> u(3 * steps), h(steps), c(steps);
    for (std::int64_t i = 0; i < 3 * steps; ++i)
        u[i] = __nv_bfloat16(static_cast<float>(1.5 * std::sin(0.7 * i)));
    std::vector<float> last(1), weights = {0.4f, -0.3f, 1.0f, 0.2f};
    auto scan = sized<SruScanForward<__nv_bfloat16, float>>(steps, 1, 1);
    const auto part = [&](int which) { return Rows<const __nv_bfloat16>{u.data() + which, 3, 3}; };
    scan.candidate = part(0);
    scan.forget = part(1);
    scan.reset = part(2);
    scan.forgetWeight = &weights[0];
    scan.resetWeight = &weights[1];
    scan.forgetBias = &weights[2];
    scan.resetBias = &weights[3];
    scan.h = {h.data(), 1, 1};
    scan.c = {c.data(), 1, 1};
    scan.last = {last.data(), 0, 1};
    walkColumn(scan, 0, 0);

    double state = 0;
    RelativeError error;
    for (std::int64_t t = 0; t < steps; ++t) {
        const double u0 = static_cast<float>(u[3 * t]), u1 = static_cast<float>(u[3 * t + 1]),
                     u2 = static_cast<float>(u[3 * t + 2]);
        const double f = sigmoid(u1 + weights[0] * state + weights[2]),
                     r = sigmoid(u2 + weights[1] * state + weights[3]);
        state = f * state + (1 - f) * u0;
        error.add(static_cast<float>(h[t]), r * state);
    }
    EXPECT_LE(error.value(), 1e-2);
    EXPECT_NEAR(last[0], state, 1e-5 * std::abs(state)) << "the final state is fp32";
}

} // namespace
} // namespace unroll::kernels
