// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/steps/steps_launch.h"

#include "core/kernels/scan/gpu_ways.h"
#include "core/kernels/scan/scan_launch.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace unroll::kernels {
namespace {

constexpr std::int64_t kH200 = 132; // blocks at once, one a multiprocessor

TEST(StepsLaunch, ABlockForEachSliceOfUnitsAndGroupOfSequences)
{
    const StepsLaunch few = chooseSteps({100, 8, 512}, kH200, StepsWish::Auto);
    EXPECT_EQ(few.way, StepsWay::Persistent);
    EXPECT_EQ(few.slices, 32);
    EXPECT_EQ(few.groups, 1);
    const StepsLaunch more = chooseSteps({100, 100, 500}, kH200, StepsWish::Auto);
    EXPECT_EQ(more.slices, 32);
    EXPECT_EQ(more.groups, 4) << "four tiles, the last of 4 sequences";
    EXPECT_EQ(more.tiles, 1);
    EXPECT_EQ(chooseSteps({2, 1, 1}, 1, StepsWish::Auto).blocks(), 1);
}

TEST(StepsLaunch, NoMoreBlocksThanTheGpuHoldsAndEverySequenceComes)
{
    for (std::int64_t resident : {1, 7, 132})
        for (std::int64_t batch : {1, 32, 33, 500, 5000})
            for (std::int64_t width : {1, 16, 100, 1000}) {
                const StepsLaunch launch = chooseSteps({10, batch, width}, resident, StepsWish::Persistent);
                if (launch.way == StepsWay::Products) {
                    EXPECT_GT(width, resident * kPersistentUnits - kPersistentUnits);
                    continue;
                }
                EXPECT_LE(launch.blocks(), resident);
                EXPECT_GE(launch.slices * kPersistentUnits, width);
                EXPECT_GE(launch.groups * launch.tiles * kPersistentSequences, batch);
                EXPECT_LT((launch.groups - 1) * launch.tiles * kPersistentSequences, batch) << "no group has nothing";
            }
}

TEST(StepsLaunch, ManyRowsAndWhatDoesNotFitAreLeftToProducts)
{
    EXPECT_EQ(chooseSteps({100, 32 * 4 * kTilesThatPay, 512}, kH200, StepsWish::Auto).way, StepsWay::Persistent);
    EXPECT_EQ(chooseSteps({100, 32 * 4 * kTilesThatPay + 1, 512}, kH200, StepsWish::Auto).way, StepsWay::Products);
    EXPECT_EQ(chooseSteps({100, 5000, 512}, kH200, StepsWish::Persistent).way, StepsWay::Persistent) << "a wish";
    EXPECT_EQ(chooseSteps({100, 8, 512}, kH200, StepsWish::Products).way, StepsWay::Products) << "a wish";
    EXPECT_EQ(chooseSteps({100, 8, 512}, 31, StepsWish::Persistent).way, StepsWay::Products)
        << "slices that do not fit";
    EXPECT_EQ(chooseSteps({100, 8, 512}, 0, StepsWish::Persistent).way, StepsWay::Products) << "no block fits";
    EXPECT_EQ(chooseSteps({1, 8, 512}, kH200, StepsWish::Auto).way, StepsWay::Products) << "a single step";
    EXPECT_EQ(chooseSteps({0, 8, 512}, kH200, StepsWish::Persistent).way, StepsWay::Products) << "no step";
    EXPECT_EQ(chooseSteps({100, 0, 512}, kH200, StepsWish::Persistent).way, StepsWay::Products) << "no sequence";
    EXPECT_EQ(chooseSteps({100, 8, 0}, kH200, StepsWish::Persistent).way, StepsWay::Products) << "no unit";
}

TEST(StepsLaunch, WordsAreReadAndOthersRefused)
{
    EXPECT_EQ(stepsWishNamed("auto"), StepsWish::Auto);
    EXPECT_EQ(stepsWishNamed("products"), StepsWish::Products);
    EXPECT_EQ(stepsWishNamed("persistent"), StepsWish::Persistent);
    EXPECT_THROW(stepsWishNamed("chunks"), std::invalid_argument);
    const StepsWish before = stepsWish();
    {
        const ScopedStepsWish wish(StepsWish::Persistent);
        EXPECT_EQ(stepsWish(), StepsWish::Persistent);
    }
    EXPECT_EQ(stepsWish(), before);
}

TEST(StepsLaunch, IsDescribedForAProfile)
{
    EXPECT_EQ(describe(chooseSteps({100, 64, 512}, kH200, StepsWish::Auto)), "in one launch of 64 blocks");
    EXPECT_EQ(describe(chooseSteps({2, 1, 1}, 1, StepsWish::Auto)), "in one launch of 1 block");
    EXPECT_EQ(describe(StepsLaunch{}), "by products");
}

TEST(GpuWays, AreBySizeUnlessNamed)
{
    const ScopedScanWish scans(ScanWish::Auto);
    const ScopedStepsWish steps(StepsWish::Auto);
    EXPECT_EQ(
        gpuWays(),
        "scans by columns or in chunks, by size (UNROLL_SCAN_WAY=columns or chunks: always); RNN and GRU steps in "
        "one launch or by products, by size (UNROLL_STEPS_WAY=persistent or products: always)");
    const ScopedScanWish columns(ScanWish::Columns);
    const ScopedStepsWish products(StepsWish::Products);
    EXPECT_EQ(gpuWays(), "scans by columns (UNROLL_SCAN_WAY); RNN and GRU steps by products (UNROLL_STEPS_WAY)");
}

} // namespace
} // namespace unroll::kernels
