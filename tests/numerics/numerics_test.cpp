// SPDX-License-Identifier: GPL-3.0-or-later
// A quick part of what docs/numerics.md shows.
#include "core/kernels/testing/kernel_test.h"
#include "tests/numerics/row_kernels.h"

#include <cctype>

namespace unroll::kernels {
namespace {

using namespace test;

class Accuracies : public testing::TestWithParam<ScanKernel> {};

TEST_P(Accuracies, StayWithinTheirBounds)
{
    for (const Accuracy& accuracy : measure(GetParam(), Extent::Quick)) {
        EXPECT_GE(accuracy.rows.size(), 3u) << accuracy.kernel;
        for (const AccuracyRow& row : accuracy.rows)
            EXPECT_LE(row.ours, row.bound()) << accuracy.kernel << ", " << row.output << " at " << row.call;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, Accuracies, testing::ValuesIn(scanKernels()),
                         [](const auto& instance) { return instance.param.name; });

class RowAccuracies : public testing::TestWithParam<RowKernel> {};

TEST_P(RowAccuracies, StayWithinTheirBounds)
{
    const Accuracy accuracy = measure(GetParam(), Extent::Quick);
    EXPECT_EQ(accuracy.rows.size(), 1 + GetParam().inputs.size());
    for (const AccuracyRow& row : accuracy.rows)
        EXPECT_LE(row.ours, row.bound()) << accuracy.kernel << ", " << row.output << " at " << row.call;
}

INSTANTIATE_TEST_SUITE_P(Every, RowAccuracies, testing::ValuesIn(rowKernels()), [](const auto& instance) {
    std::string name = instance.param.name;
    std::erase_if(name, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; });
    return name;
});

TEST(AccuracyRows, ABoundIsTwiceThePlainLoopOrAHundredThousandth)
{
    EXPECT_EQ((AccuracyRow{"h", "", 1e-5, 1e-9, 1}.bound()), 1e-5);
    EXPECT_TRUE((AccuracyRow{"h", "", 1.9e-4, 1e-4, 1}.holds()));
    EXPECT_FALSE((AccuracyRow{"h", "", 2.1e-4, 1e-4, 1}.holds()));
    EXPECT_FALSE((Accuracy{"x", {{"h", "", 1, 0, 1}}}.holds()));
}

} // namespace
} // namespace unroll::kernels
