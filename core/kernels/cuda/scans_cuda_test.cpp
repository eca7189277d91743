// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launchers of the scans whose columns are walked, as far as a machine without a GPU can show, and bf16
// columns, run on the CPU.
#include "core/kernels/cuda/launch_test.h"
#include "core/kernels/diag_scan/diag_scan_column.h"
#include "core/kernels/gated_scan/gated_scan_column.h"
#include "core/kernels/sru_scan/sru_scan_column.h"

#include <variant>

namespace unroll::kernels {
namespace {

using namespace test;

using Bf16 = __nv_bfloat16;

/// Of a scan in all types that its CPU half has.
template <class... Scans>
void expectRefusalsOfAll(const std::variant<const Scans*...>&)
{
    (expectRefusals<Scans>(), ...);
}

TEST(ScanCuda, BadArgumentsAreRefused)
{
    expectRefusalsOfAll(DiagScanPass());
    expectRefusalsOfAll(GatedScanPass());
    expectRefusalsOfAll(SruScanPass());
    expectRefusalsBothWays<DiagScanForward, DiagScanBackward, Bf16, float>();
    expectRefusalsBothWays<GatedScanForward, GatedScanBackward, Bf16, float>();
    expectRefusalsBothWays<SruScanForward, SruScanBackward, Bf16, float>();
    auto silu = sized<SruScanForward<float, float>>(4, 0, 3);
    silu.activation = Activation::Silu;
    EXPECT_EQ(launchScan(silu, nullptr), cudaErrorInvalidValue);
}

TEST(ScanCuda, TooManyColumnsForAGridAreRefused)
{
    std::vector<float> one(1);
    auto diag = withTooManyColumns<DiagScanForward<float, float>>();
    diag.a = diag.b = {one.data(), 0, 0};
    diag.h = diag.last = {one.data(), 0, 0};
    EXPECT_EQ(launchScan(diag, nullptr), cudaErrorInvalidValue);
    auto gated = withTooManyColumns<GatedScanForward<float, float>>();
    gated.forget = gated.candidates = {one.data(), 0, 0};
    gated.u = gated.h = gated.last = {one.data(), 0, 0};
    EXPECT_EQ(launchScan(gated, nullptr), cudaErrorInvalidValue);
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

// The state is carried in fp32, so bf16 loses only what reading and writing bf16 loses.

TEST(DiagScanCuda, Bf16ColumnsStayWithinAHundredth)
{
    constexpr std::int64_t steps = 300;
    std::vector<Bf16> b(steps), h(steps);
    for (std::int64_t t = 0; t < steps; ++t)
        b[t] = Bf16(static_cast<float>(2 * std::cos(0.31 * t)));
    std::vector<float> last(1), a = {0.995f};
    auto scan = sized<DiagScanForward<Bf16, float>>(steps, 1, 1);
    scan.constant = {a.data(), 0, 0};
    scan.b = rowsIn<const Bf16>(b, 1, 1);
    scan.h = rowsIn<Bf16>(h, 1, 1);
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

TEST(GatedScanCuda, Bf16ColumnsStayWithinAHundredth)
{
    constexpr std::int64_t steps = 300;
    std::vector<Bf16> forget(steps), candidates(steps), output(steps), u(steps), h(steps);
    for (std::int64_t t = 0; t < steps; ++t) {
        forget[t] = Bf16(static_cast<float>(2 + std::sin(0.7 * t)));
        candidates[t] = Bf16(static_cast<float>(2 * std::cos(0.31 * t)));
        output[t] = Bf16(static_cast<float>(std::sin(1.1 * t)));
    }
    std::vector<float> last(1);
    auto scan = sized<GatedScanForward<Bf16, float>>(steps, 1, 1);
    scan.forget = rowsIn<const Bf16>(forget, 1, 1);
    scan.candidates = rowsIn<const Bf16>(candidates, 1, 1);
    scan.output = rowsIn<const Bf16>(output, 1, 1);
    scan.u = rowsIn<Bf16>(u, 1, 1);
    scan.h = rowsIn<Bf16>(h, 1, 1);
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

TEST(SruScanCuda, Bf16ColumnsStayWithinAHundredth)
{
    constexpr std::int64_t steps = 300;
    std::vector<Bf16> u(3 * steps), h(steps), c(steps);
    for (std::int64_t i = 0; i < 3 * steps; ++i)
        u[i] = Bf16(static_cast<float>(1.5 * std::sin(0.7 * i)));
    std::vector<float> last(1), weights = {0.4f, -0.3f, 1.0f, 0.2f};
    auto scan = sized<SruScanForward<Bf16, float>>(steps, 1, 1);
    const auto part = [&](int which) { return Rows<const Bf16>{u.data() + which, 3, 3}; };
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
