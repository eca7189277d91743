// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launchers, as far as a machine without a GPU can show, and bf16 rows, run on the CPU.
#include "core/kernels/cuda/matrix_scan_cuda.h"

#include "core/kernels/cuda/launch_test.h"
#include "core/kernels/matrix_scan/matrix_scan_thread.h"

namespace unroll::kernels {
namespace {

using namespace test;

TEST(MatrixScanCuda, BadArgumentsAreRefused)
{
    expectRefusalsBothWays<MatrixScanForward, MatrixScanBackward, float, float>();
    expectRefusalsBothWays<MatrixScanForward, MatrixScanBackward, double, double>();
    expectRefusalsBothWays<MatrixScanForward, MatrixScanBackward, __nv_bfloat16, float>();
}

TEST(MatrixScanCuda, MatricesThatCannotBeAreRefused)
{
    auto scan = sized<MatrixScanForward<float, float>>(4, 0, 6);
    scan.size = 4;
    EXPECT_EQ(launchScan(scan, nullptr), cudaErrorInvalidValue) << "half a matrix";
    scan.width = scan.size = kMaxMatrixSize + 1;
    EXPECT_EQ(launchScan(scan, nullptr), cudaErrorInvalidValue) << "too large";
    scan.width = scan.size = kMaxMatrixSize;
    EXPECT_EQ(launchScan(scan, nullptr), cudaSuccess) << "nothing to do";
}

TEST(MatrixScanCuda, TooManyRowsForAGridAreRefused)
{
    std::vector<float> one(1);
    auto scan = withTooManyColumns<MatrixScanForward<float, float>>();
    scan.size = 4;
    scan.m = scan.initial = {one.data(), 0, 0};
    scan.h = scan.last = {one.data(), 0, 0};
    EXPECT_EQ(launchScan(scan, nullptr), cudaErrorInvalidValue);
}

/// A wish that the arguments cannot have, or no workspace, starts nothing.
TEST(MatrixScanCuda, ChunksNeedAWorkspaceAndASizeThatIsChunked)
{
    std::vector<float> one(1);
    auto scan = sized<MatrixScanForward<float, float>>(100, 1, 4);
    scan.size = 4;
    scan.m = scan.initial = {one.data(), 0, 0};
    scan.h = scan.last = {one.data(), 0, 0};
    const std::int64_t chunkSteps = sizesForLaunch(scan).chunkSteps;
    ASSERT_GT(chunkSteps, 0);
    const ScanLaunch launch = {ScanWay::Chunks, chunkSteps, (scan.steps + chunkSteps - 1) / chunkSteps};
    EXPECT_EQ(launchScan(scan, nullptr, launch, nullptr), cudaErrorInvalidValue);
    scan.size = scan.width = kMaxChunkedMatrix + 1;
    EXPECT_EQ(launchScan(scan, nullptr, launch, one.data()), cudaErrorInvalidValue);
}

/// The state is carried in fp32: a rotation by a right angle, exact in bf16, is still one after any number of turns.
TEST(MatrixScanCuda, Bf16RowsCarryTheirStateInFp32)
{
    constexpr std::int64_t steps = 401;
    std::vector<__nv_bfloat16> m, h(4 * steps);
    for (std::int64_t t = 0; t < steps; ++t)
        for (float number : {0.0f, 1.0f, -1.0f, 0.0f})
            m.push_back(__nv_bfloat16(number));
    std::vector<float> initial = {1.0001f, 0, 0, 1}, last(4);
    auto scan = sized<MatrixScanForward<__nv_bfloat16, float>>(steps, 1, 2);
    scan.size = 2;
    scan.m = {m.data(), 4, 4};
    scan.initial = {initial.data(), 0, 4};
    scan.h = {h.data(), 4, 4};
    scan.last = {last.data(), 0, 4};
    const auto plan = matrixPlan(scan, {}, nullptr);
    std::vector<float> shared(plan.tile.sharedNumbers);
    std::vector<MatrixThread<MatrixScanForward<__nv_bfloat16, float>, 4>> threads;
    for (int i = 0; i < plan.tile.threads(); ++i)
        threads.emplace_back(scan, plan, 0, i, shared.data()).readFirst();
    for (std::int64_t chunk = 0; chunk * plan.tile.steps() < steps; ++chunk) {
        for (auto& thread : threads)
            thread.begin(chunk), thread.stage();
        for (auto& thread : threads)
            thread.walk(false);
        for (auto& thread : threads)
            thread.store();
    }
    EXPECT_EQ(last, (std::vector<float>{0, 1.0001f, -1, 0}));
}

} // namespace
} // namespace unroll::kernels
