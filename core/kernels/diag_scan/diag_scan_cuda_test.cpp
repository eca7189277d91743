// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launcher, as far as a machine without a GPU can show, and bf16 columns, run on the CPU.
#include "core/kernels/common/launch_test.h"
#include "core/kernels/diag_scan/diag_scan_column.h"

namespace unroll::kernels {
namespace {

using namespace test;

TEST(DiagScanCuda, BadArgumentsAreRefused)
{
    expectRefusalsBothWays<DiagScanForward, DiagScanBackward, float, float>();
    expectRefusalsBothWays<DiagScanForward, DiagScanBackward, double, double>();
    expectRefusalsBothWays<DiagScanForward, DiagScanBackward, __nv_bfloat16, float>();
    expectRefusalsBothWays<DiagScanForward, DiagScanBackward, ComplexPair<float>, ComplexPair<float>>();
    expectRefusalsBothWays<DiagScanForward, DiagScanBackward, ComplexPair<double>, ComplexPair<double>>();
}

TEST(DiagScanCuda, ExactlyOneFactorMustBeThere)
{
    std::vector<float> data(24);
    auto scan = sized<DiagScanForward<float, float>>(4, 2, 3);
    scan.b = rowsIn<const float>(data, 2, 3);
    scan.h = rowsIn<float>(data, 2, 3);
    scan.last = {data.data(), 0, 3};
    EXPECT_FALSE(complete(scan));
    scan.constant = {data.data(), 0, 0};
    EXPECT_TRUE(complete(scan));
    scan.a = rowsIn<const float>(data, 2, 3);
    EXPECT_FALSE(complete(scan));
}

TEST(DiagScanCuda, TooManyColumnsForAGridAreRefused)
{
    std::vector<float> one(1);
    auto scan = withTooManyColumns<DiagScanForward<float, float>>();
    scan.a = scan.b = {one.data(), 0, 0};
    scan.h = scan.last = {one.data(), 0, 0};
    EXPECT_EQ(launchScan(scan, nullptr), cudaErrorInvalidValue);
}

/// The state is carried in fp32, so bf16 loses only what reading and writing bf16 loses.
TEST(DiagScanCuda, Bf16ColumnsStayWithinAHundredth)
{
    constexpr std::int64_t steps = 300;
    std::vector<__nv_bfloat16> b(steps), h(steps);
    for (std::int64_t t = 0; t < steps; ++t)
        b[t] = __nv_bfloat16(static_cast<float>(2 * std::cos(0.31 * t)));
    std::vector<float> last(1), a = {0.995f};
    auto scan = sized<DiagScanForward<__nv_bfloat16, float>>(steps, 1, 1);
    scan.constant = {a.data(), 0, 0};
    scan.b = rowsIn<const __nv_bfloat16>(b, 1, 1);
    scan.h = rowsIn<__nv_bfloat16>(h, 1, 1);
    scan.last = {last.data(), 0, 1};
    walkColumn(scan, 0, 0);

    double state = 0;
    RelativeError error;
    for (std::int64_t t = 0; t < steps; ++t) {
        state = static_cast<double>(a[0]) * state + static_cast<float>(b[t]);
        error.add(static_cast<float>(h[t]), state);
    }
    EXPECT_LE(error.value(), 1e-2);
    EXPECT_NEAR(last[0], state, 1e-4 * std::abs(state)) << "the final state is fp32";
}

} // namespace
} // namespace unroll::kernels
