// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launcher, as far as a machine without a GPU can show, and bf16 columns, run on the CPU.
#include "core/kernels/common/launch_test.h"
#include "core/kernels/gated_scan/gated_scan_column.h"

namespace unroll::kernels {
namespace {

using namespace test;

TEST(GatedScanCuda, BadArgumentsAreRefused)
{
    expectRefusalsBothWays<GatedScanForward, GatedScanBackward, float, float>();
    expectRefusalsBothWays<GatedScanForward, GatedScanBackward, double, double>();
    expectRefusalsBothWays<GatedScanForward, GatedScanBackward, __nv_bfloat16, float>();
}

TEST(GatedScanCuda, TooManyColumnsForAGridAreRefused)
{
    std::vector<float> one(1);
    auto scan = withTooManyColumns<GatedScanForward<float, float>>();
    scan.forget = scan.candidates = {one.data(), 0, 0};
    scan.u = scan.h = scan.last = {one.data(), 0, 0};
    EXPECT_EQ(launchScan(scan, nullptr), cudaErrorInvalidValue);
}

TEST(GatedScanCuda, AnOutputGateNeedsItsGradient)
{
    std::vector<float> data(24);
    auto scan = sized<GatedScanBackward<float, float>>(4, 2, 3);
    scan.forget = scan.candidates = scan.output = scan.h = rowsIn<const float>(data, 2, 3);
    scan.gradForget = scan.gradCandidates = rowsIn<float>(data, 2, 3);
    scan.gradInitial = {data.data(), 0, 3};
    EXPECT_FALSE(complete(scan));
    EXPECT_EQ(launchScan(scan, nullptr), cudaErrorInvalidValue);
    scan.gradOutput = rowsIn<float>(data, 2, 3);
    EXPECT_TRUE(complete(scan));
}

/// The state is carried in fp32, so bf16 loses only what reading and writing bf16 loses.
TEST(GatedScanCuda, Bf16ColumnsStayWithinAHundredth)
{
    constexpr std::int64_t steps = 300;
    std::vector<__nv_bfloat16> forget(steps), candidates(steps), output(steps), u(steps), h(steps);
    for (std::int64_t t = 0; t < steps; ++t) {
        forget[t] = __nv_bfloat16(static_cast<float>(2 + std::sin(0.7 * t)));
        candidates[t] = __nv_bfloat16(static_cast<float>(2 * std::cos(0.31 * t)));
        output[t] = __nv_bfloat16(static_cast<float>(std::sin(1.1 * t)));
    }
    std::vector<float> last(1);
    auto scan = sized<GatedScanForward<__nv_bfloat16, float>>(steps, 1, 1);
    scan.forget = rowsIn<const __nv_bfloat16>(forget, 1, 1);
    scan.candidates = rowsIn<const __nv_bfloat16>(candidates, 1, 1);
    scan.output = rowsIn<const __nv_bfloat16>(output, 1, 1);
    scan.u = rowsIn<__nv_bfloat16>(u, 1, 1);
    scan.h = rowsIn<__nv_bfloat16>(h, 1, 1);
    scan.last = rowsIn<float>(last, 1, 1);
    walkColumn(scan, 0, 0);

    double state = 0;
    RelativeError error;
    for (std::int64_t t = 0; t < steps; ++t) {
        const double a = static_cast<float>(candidates[t]), f = sigmoid(static_cast<float>(forget[t]));
        state = f * state + (1 - f) * a * sigmoid(a);
        error.add(static_cast<float>(u[t]), state * sigmoid(static_cast<float>(output[t])));
    }
    EXPECT_LE(error.value(), 1e-2);
    EXPECT_NEAR(last[0], state, 1e-5 * std::abs(state)) << "the final state is fp32";
}

} // namespace
} // namespace unroll::kernels
