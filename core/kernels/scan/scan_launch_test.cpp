// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/scan/scan_launch.h"

#include "core/kernels/scan/affine_map.h"
#include "core/kernels/scan/complex_pair.h"
#include "core/kernels/scan/lookback.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace unroll::kernels {
namespace {

constexpr int kH200 = 132; // multiprocessors

ScanWay wayOf(std::int64_t steps, std::int64_t columns, ScanWish wish = ScanWish::Auto)
{
    return chooseLaunch({steps, columns, 128}, kH200, wish).way;
}

TEST(ScanLaunch, ManyColumnsAreWalkedByColumnsAndFewInChunks)
{
    EXPECT_EQ(wayOf(4096, 64 * 1024), ScanWay::Columns);
    EXPECT_EQ(wayOf(4096, kColumnsAMultiprocessor * kH200), ScanWay::Columns);
    EXPECT_EQ(wayOf(4096, kColumnsAMultiprocessor * kH200 - 1), ScanWay::Chunks);
    EXPECT_EQ(wayOf(4096, 1), ScanWay::Chunks);
    EXPECT_EQ(
        chooseLaunch({4096, kColumnsAMultiprocessor * kH200, 16, kMatrixRowsAMultiprocessor}, kH200, ScanWish::Auto)
            .way,
        ScanWay::Chunks)
        << "rows of matrices";
    EXPECT_EQ(chooseLaunch({4096, 20000, 128}, 16, ScanWish::Auto).way, ScanWay::Columns) << "a small GPU";
}

TEST(ScanLaunch, WhatFitsIntoOneChunkIsNotCut)
{
    EXPECT_EQ(wayOf(128, 64), ScanWay::Columns);
    EXPECT_EQ(wayOf(129, 64), ScanWay::Chunks);
    EXPECT_EQ(chooseLaunch({129, 64, 128}, kH200, ScanWish::Auto).chunks, 2);
    EXPECT_EQ(chooseLaunch({256, 64, 128}, kH200, ScanWish::Auto).chunks, 2);
    EXPECT_EQ(chooseLaunch({257, 64, 128}, kH200, ScanWish::Auto).chunks, 3);
}

TEST(ScanLaunch, AWishGoesFirstWhereItCanBeHad)
{
    EXPECT_EQ(wayOf(4096, 64, ScanWish::Columns), ScanWay::Columns);
    EXPECT_EQ(wayOf(4096, 1 << 20, ScanWish::Chunks), ScanWay::Chunks);
    EXPECT_EQ(wayOf(1, 1, ScanWish::Chunks), ScanWay::Chunks);
    EXPECT_EQ(wayOf(0, 64, ScanWish::Chunks), ScanWay::Columns) << "no step";
    EXPECT_EQ(wayOf(64, 0, ScanWish::Chunks), ScanWay::Columns) << "no column";
    EXPECT_EQ(chooseLaunch({4096, 64, 0}, kH200, ScanWish::Chunks).way, ScanWay::Columns) << "not linear in its state";
}

TEST(ScanLaunch, ScopedWishesAreTakenBack)
{
    const ScanWish before = scanWish();
    {
        const ScopedScanWish outer(ScanWish::Chunks);
        const ScopedScanWish inner(ScanWish::Columns);
        EXPECT_EQ(scanWish(), ScanWish::Columns);
    }
    EXPECT_EQ(scanWish(), before);
}

TEST(ScanLaunch, WordsAreReadAndOthersRefused)
{
    EXPECT_EQ(scanWishNamed("auto"), ScanWish::Auto);
    EXPECT_EQ(scanWishNamed("columns"), ScanWish::Columns);
    EXPECT_EQ(scanWishNamed("chunks"), ScanWish::Chunks);
    EXPECT_THROW(scanWishNamed("rows"), std::invalid_argument);
}

TEST(ScanLaunch, IsDescribedForAProfile)
{
    EXPECT_EQ(describe(chooseLaunch({1000, 64, 128}, kH200, ScanWish::Auto)), "in 8 chunks of 128 steps");
    EXPECT_EQ(describe(chooseLaunch({1, 64, 128}, kH200, ScanWish::Chunks)), "in 1 chunk of 128 steps");
    EXPECT_EQ(describe({}), "by columns");
}

TEST(AffineMap, ComposedMapsDoWhatTheyDoOneAfterTheOther)
{
    using Complex = ComplexPair<double>;
    const auto number = [](double re, double im) {
        Complex z(re);
        z.im = im;
        return z;
    };
    const AffineMap<Complex> first{number(0.5, -1.25), number(2, 0.75)}, next{number(-0.375, 2), number(1, -3)};
    const Complex state = number(1.5, 0.25), got = first.then(next)(state), want = next(first(state));
    EXPECT_EQ(got.re, want.re) << "halves and quarters are exact";
    EXPECT_EQ(got.im, want.im);
    const AffineMap<float> one{0.5f, 3};
    EXPECT_EQ(one.then(AffineMap<float>::identity())(7), one(7));
    EXPECT_EQ(AffineMap<float>::identity().then(one)(7), one(7));
}

TEST(Lookback, SlotsOfAllSetsLieApartAndInsideTheWorkspace)
{
    constexpr std::int64_t chunks = 3, columns = 5;
    const ChunkWorkspace space = ChunkWorkspace::of(chunks, columns, 2, sizeof(double));
    EXPECT_EQ(space.zeroedBytes % ChunkWorkspace::alignment, 0u);
    std::vector<std::max_align_t> memory(space.bytes / sizeof(std::max_align_t) + 1);
    std::fill_n(reinterpret_cast<std::byte*>(memory.data()), space.zeroedBytes, std::byte(0));
    double number = 0;
    for (int set = 0; set < 2; ++set) {
        const auto lookback = space.lookback<double>(memory.data(), set, chunks, columns);
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
            for (std::int64_t column = 0; column < columns; ++column) {
                EXPECT_FALSE(lookback.published(chunk, column));
                *lookback.slot(chunk, column) = ++number;
                lookback.publish(chunk, column);
            }
    }
    const auto last = space.lookback<double>(memory.data(), 1, chunks, columns);
    EXPECT_EQ(last.slot(chunks - 1, columns - 1) + 1,
              reinterpret_cast<double*>(reinterpret_cast<std::byte*>(memory.data()) + space.bytes));
    const auto first = space.lookback<double>(memory.data(), 0, chunks, columns);
    EXPECT_EQ(*first.slot(0, 0), 1) << "nothing was written over";
    EXPECT_EQ(*last.slot(0, 0), 1 + chunks * columns);
    EXPECT_EQ(*space.ticket(memory.data()), 0u);
}

TEST(ChunkTile, AnEarlierChunkHasALowerTicket)
{
    for (std::int64_t ticket = 0; ticket < 12; ++ticket) {
        const ChunkTile tile = ChunkTile::of(ticket, 4);
        EXPECT_EQ(tile.chunk * 4 + tile.group, ticket);
        EXPECT_LT(tile.group, 4);
    }
}

} // namespace
} // namespace unroll::kernels
