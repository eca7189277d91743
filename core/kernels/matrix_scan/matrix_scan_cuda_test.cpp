// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launchers, as far as a machine without a GPU can show: arguments are refused before anything is started. And bf16 rows, run
// on the CPU.
#include "core/kernels/matrix_scan/matrix_scan_cuda.h"

#include "core/kernels/matrix_scan/matrix_scan_column.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace unroll::kernels {
namespace {

template <typename Scan>
Scan matricesSized(std::int64_t steps, std::int64_t batch, std::int64_t width, std::int64_t size)
{
    Scan scan;
    scan.steps = steps;
    scan.batch = batch;
    scan.width = width;
    scan.size = size;
    return scan;
}

template <typename Io, typename State>
void expectMatrixRefusals()
{
    using Forward = MatrixScanForward<Io, State>;
    using Backward = MatrixScanBackward<Io, State>;
    EXPECT_EQ(matrixScanForwardCuda(matricesSized<Forward>(-1, 2, 6, 3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(matrixScanForwardCuda(matricesSized<Forward>(4, 2, 6, 3), nullptr), cudaErrorInvalidValue) << "no arrays";
    EXPECT_EQ(matrixScanForwardCuda(matricesSized<Forward>(4, 0, 6, 4), nullptr), cudaErrorInvalidValue)
        << "half a matrix";
    EXPECT_EQ(matrixScanForwardCuda(matricesSized<Forward>(4, 0, 65, 65), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(matrixScanForwardCuda(matricesSized<Forward>(4, 0, 6, 3), nullptr), cudaSuccess) << "nothing to do";
    EXPECT_EQ(matrixScanBackwardCuda(matricesSized<Backward>(4, 2, -6, 3), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(matrixScanBackwardCuda(matricesSized<Backward>(4, 2, 6, 3), nullptr), cudaErrorInvalidValue)
        << "no arrays";
    EXPECT_EQ(matrixScanBackwardCuda(matricesSized<Backward>(0, 2, 0, 3), nullptr), cudaSuccess) << "nothing to do";
}

TEST(MatrixScanCuda, BadArgumentsAreRefused)
{
    expectMatrixRefusals<float, float>();
    expectMatrixRefusals<double, double>();
    expectMatrixRefusals<__nv_bfloat16, float>();
}

TEST(MatrixScanCuda, TooManyRowsForAGridAreRefused)
{
    std::vector<float> one(1);
    auto scan = matricesSized<MatrixScanForward<float, float>>(1, std::int64_t(1) << 32, std::int64_t(1) << 10, 4);
    scan.m = scan.initial = {one.data(), 0, 0};
    scan.h = scan.last = {one.data(), 0, 0};
    EXPECT_EQ(matrixScanForwardCuda(scan, nullptr), cudaErrorInvalidValue);
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
    auto scan = matricesSized<MatrixScanForward<__nv_bfloat16, float>>(steps, 1, 2, 2);
    scan.m = {m.data(), 4, 4};
    scan.initial = {initial.data(), 0, 4};
    scan.h = {h.data(), 4, 4};
    scan.last = {last.data(), 0, 4};
    for (std::int64_t row = 0; row < 2; ++row)
        MatrixScanForwardColumn<__nv_bfloat16, float, 4>(scan, 0, row).run();
    EXPECT_EQ(last, (std::vector<float>{0, 1.0001f, -1, 0}));
}

} // namespace
} // namespace unroll::kernels
