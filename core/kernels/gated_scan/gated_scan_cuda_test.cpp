// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launchers, as far as a machine without a GPU can show: arguments are refused before anything is started. And bf16 columns,
// run on the CPU.
#include "core/kernels/gated_scan/gated_scan_cuda.h"

#include "core/kernels/gated_scan/gated_scan_column.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace unroll::kernels {
namespace {

template <typename Scan>
Scan sized(std::int64_t steps, std::int64_t batch, std::int64_t width)
{
    Scan scan;
    scan.steps = steps;
    scan.batch = batch;
    scan.width = width;
    return scan;
}

template <typename T>
Rows<T> rows(std::vector<std::remove_const_t<T>>& values, std::int64_t batch, std::int64_t width)
{
    return {values.data(), batch * width, width};
}

template <typename Io, typename State>
void expectRefusals()
{
    using Forward = GatedScanForward<Io, State>;
    using Backward = GatedScanBackward<Io, State>;
    EXPECT_EQ(gatedScanForwardCuda(sized<Forward>(-1, 2, 3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(gatedScanForwardCuda(sized<Forward>(4, 2, 3), nullptr), cudaErrorInvalidValue) << "no arrays";
    EXPECT_EQ(gatedScanForwardCuda(sized<Forward>(4, 0, 3), nullptr), cudaSuccess) << "nothing to do";
    EXPECT_EQ(gatedScanBackwardCuda(sized<Backward>(4, 2, -3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(gatedScanBackwardCuda(sized<Backward>(4, 2, 3), nullptr), cudaErrorInvalidValue) << "no arrays";
    EXPECT_EQ(gatedScanBackwardCuda(sized<Backward>(0, 2, 0), nullptr), cudaSuccess) << "nothing to do";
}

TEST(GatedScanCuda, BadArgumentsAreRefused)
{
    expectRefusals<float, float>();
    expectRefusals<double, double>();
    expectRefusals<__nv_bfloat16, float>();
}

TEST(GatedScanCuda, TooManyColumnsForAGridAreRefused)
{
    std::vector<float> one(1);
    auto scan = sized<GatedScanForward<float, float>>(1, std::int64_t(1) << 32, std::int64_t(1) << 10);
    scan.forget = scan.candidates = {one.data(), 0, 0};
    scan.u = scan.h = {one.data(), 0, 0};
    scan.last = {one.data(), 0, 0};
    EXPECT_EQ(gatedScanForwardCuda(scan, nullptr), cudaErrorInvalidValue);
}

TEST(GatedScanCuda, AnOutputGateNeedsItsGradient)
{
    std::vector<float> data(24);
    auto scan = sized<GatedScanBackward<float, float>>(4, 2, 3);
    scan.forget = scan.candidates = scan.output = scan.h = rows<const float>(data, 2, 3);
    scan.gradForget = scan.gradCandidates = rows<float>(data, 2, 3);
    scan.gradInitial = {data.data(), 0, 3};
    EXPECT_FALSE(complete(scan));
    EXPECT_EQ(gatedScanBackwardCuda(scan, nullptr), cudaErrorInvalidValue);
    scan.gradOutput = rows<float>(data, 2, 3);
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
    scan.forget = rows<const __nv_bfloat16>(forget, 1, 1);
    scan.candidates = rows<const __nv_bfloat16>(candidates, 1, 1);
    scan.output = rows<const __nv_bfloat16>(output, 1, 1);
    scan.u = rows<__nv_bfloat16>(u, 1, 1);
    scan.h = rows<__nv_bfloat16>(h, 1, 1);
    scan.last = rows<float>(last, 1, 1);
    GatedScanForwardColumn<__nv_bfloat16, float>(scan, 0, 0).run();

    const auto sigmoid = [](double a) { return 1 / (1 + std::exp(-a)); };
    double state = 0, error = 0, size = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
        const double a = static_cast<float>(candidates[t]), f = sigmoid(static_cast<float>(forget[t]));
        state = f * state + (1 - f) * a * sigmoid(a);
        const double want = state * sigmoid(static_cast<float>(output[t]));
        error += std::pow(static_cast<float>(u[t]) - want, 2);
        size += want * want;
    }
    EXPECT_LE(std::sqrt(error / size), 1e-2);
    EXPECT_NEAR(last[0], state, 1e-5 * std::abs(state)) << "the final state is fp32";
}

} // namespace
} // namespace unroll::kernels
