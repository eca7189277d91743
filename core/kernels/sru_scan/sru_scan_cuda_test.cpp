// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launchers, as far as a machine without a GPU can show: arguments are refused before anything is started. And bf16 columns,
// run on the CPU.
#include "core/kernels/sru_scan/sru_scan_cuda.h"

#include "core/kernels/common/batch_sum_cuda.h"
#include "core/kernels/sru_scan/sru_scan_column.h"

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

template <typename Io, typename State>
void expectRefusals()
{
    using Forward = SruScanForward<Io, State>;
    using Backward = SruScanBackward<Io, State>;
    EXPECT_EQ(sruScanForwardCuda(sized<Forward>(-1, 2, 3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sruScanForwardCuda(sized<Forward>(4, 2, 3), nullptr), cudaErrorInvalidValue) << "no arrays";
    EXPECT_EQ(sruScanForwardCuda(sized<Forward>(4, 0, 3), nullptr), cudaSuccess) << "nothing to do";
    EXPECT_EQ(sruScanBackwardCuda(sized<Backward>(4, -2, 3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sruScanBackwardCuda(sized<Backward>(4, 2, 3), nullptr), cudaErrorInvalidValue) << "no arrays";
    EXPECT_EQ(sruScanBackwardCuda(sized<Backward>(0, 2, 0), nullptr), cudaSuccess) << "nothing to do";
}

TEST(SruScanCuda, BadArgumentsAreRefused)
{
    expectRefusals<float, float>();
    expectRefusals<double, double>();
    expectRefusals<__nv_bfloat16, float>();
    auto silu = sized<SruScanForward<float, float>>(4, 0, 3);
    silu.activation = Activation::Silu;
    EXPECT_EQ(sruScanForwardCuda(silu, nullptr), cudaErrorInvalidValue);
}

TEST(SruScanCuda, ASkipInputNeedsItsGradient)
{
    std::vector<float> data(24);
    const Rows<const float> in{data.data(), 6, 3};
    const Rows<float> out{data.data(), 6, 3};
    auto scan = sized<SruScanBackward<float, float>>(4, 2, 3);
    scan.candidate = scan.forget = scan.reset = scan.skip = scan.c = in;
    scan.forgetWeight = scan.resetWeight = scan.forgetBias = scan.resetBias = data.data();
    scan.gradCandidate = scan.gradForget = scan.gradReset = scan.gradInitial = out;
    scan.gradWeights = data.data();
    EXPECT_EQ(sruScanBackwardCuda(scan, nullptr), cudaErrorInvalidValue);
    scan.gradSkip = out;
    EXPECT_TRUE(complete(scan));
}

TEST(BatchSumCuda, BadArgumentsAreRefused)
{
    float value = 0;
    EXPECT_EQ(sumOverBatchCuda(&value, -1, 1, 1, &value, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sumOverBatchCuda(static_cast<const float*>(nullptr), 1, 1, 1, &value, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sumOverBatchCuda(&value, 1, 1, 1, static_cast<float*>(nullptr), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sumOverBatchCuda(&value, 1, 1, 0, &value, nullptr), cudaSuccess) << "nothing to do";
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
    SruScanForwardColumn<__nv_bfloat16, float>(scan, 0, 0).run();

    const auto sigmoid = [](double a) { return 1 / (1 + std::exp(-a)); };
    double state = 0, error = 0, size = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
        const double u0 = static_cast<float>(u[3 * t]), u1 = static_cast<float>(u[3 * t + 1]),
                     u2 = static_cast<float>(u[3 * t + 2]);
        const double f = sigmoid(u1 + weights[0] * state + weights[2]),
                     r = sigmoid(u2 + weights[1] * state + weights[3]);
        state = f * state + (1 - f) * u0;
        error += std::pow(static_cast<float>(h[t]) - r * state, 2);
        size += r * state * r * state;
    }
    EXPECT_LE(std::sqrt(error / size), 1e-2);
    EXPECT_NEAR(last[0], state, 1e-5 * std::abs(state)) << "the final state is fp32";
}

} // namespace
} // namespace unroll::kernels
