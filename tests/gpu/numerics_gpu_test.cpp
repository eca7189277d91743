// SPDX-License-Identifier: GPL-3.0-or-later
// A quick part of what `./dev bench numerics --gpu` shows.
#include "tests/gpu/gpu.h"
#include "tests/numerics/row_kernels.h"

#include <algorithm>

namespace unroll::kernels {
namespace {

using namespace test;

void expectWithin(const Accuracy& accuracy)
{
    for (const AccuracyRow& row : accuracy.rows)
        EXPECT_LE(row.ours, row.bound()) << accuracy.kernel << ", " << row.output << " at " << row.call;
}

class AccuraciesOnGpu : public testing::TestWithParam<ScanKernel> {};

TEST_P(AccuraciesOnGpu, StayWithinTheirBounds)
{
    UNROLL_NEEDS_GPU();
    const auto all = measureOnGpu(GetParam(), Extent::Quick);
    EXPECT_GE(all.size(), 2u) << "each way over it";
    const auto isBf16 = [](const Accuracy& accuracy) { return accuracy.kernel.ends_with(", bf16"); };
    EXPECT_EQ(std::any_of(all.begin(), all.end(), isBf16), isScan(GetParam()));
    for (const Accuracy& accuracy : all)
        expectWithin(accuracy);
}

INSTANTIATE_TEST_SUITE_P(Every, AccuraciesOnGpu, testing::ValuesIn(scanKernels()),
                         [](const auto& instance) { return instance.param.name; });

TEST(RowAccuraciesOnGpu, StayWithinTheirBounds)
{
    UNROLL_NEEDS_GPU();
    for (const RowKernel& kernel : rowKernels())
        if (kernel.hasCuda)
            expectWithin(measure(kernel, Extent::Quick, at::kCUDA));
}

} // namespace
} // namespace unroll::kernels
