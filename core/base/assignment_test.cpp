// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace unroll {
namespace {

double costOf(const std::vector<double>& cost, std::int64_t columns, const std::vector<std::int64_t>& columnOf)
{
    double sum = 0;
    for (std::size_t row = 0; row < columnOf.size(); ++row)
        if (columnOf[row] >= 0)
            sum += cost[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(columnOf[row])];
    return sum;
}

/// The least of all pairings, by trying every order of the larger side.
double leastOfAll(const std::vector<double>& cost, std::int64_t rows, std::int64_t columns)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(std::max(rows, columns)));
    std::iota(order.begin(), order.end(), 0);
    double least = std::numeric_limits<double>::infinity();
    do {
        double sum = 0;
        for (std::int64_t i = 0; i < std::min(rows, columns); ++i) {
            const std::int64_t other = order[static_cast<std::size_t>(i)];
            const std::int64_t row = rows <= columns ? i : other, column = rows <= columns ? other : i;
            sum += cost[static_cast<std::size_t>(row * columns + column)];
        }
        least = std::min(least, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    return least;
}

TEST(CheapestPairs, AreThoseOfAllThatCanBeTried)
{
    std::mt19937 draw(3);
    std::uniform_real_distribution<double> any(-1, 1);
    for (int turn = 0; turn < 300; ++turn) {
        const std::int64_t rows = 1 + static_cast<std::int64_t>(draw() % 6),
                           columns = 1 + static_cast<std::int64_t>(draw() % 6);
        std::vector<double> cost(static_cast<std::size_t>(rows * columns));
        const bool whole = turn % 3 == 0; // many are equal then
        for (double& each : cost)
            each = whole ? static_cast<double>(draw() % 3) : any(draw);
        const auto found = cheapestPairs(cost, rows, columns);
        ASSERT_EQ(std::ssize(found), rows);
        std::vector<std::int64_t> used;
        std::copy_if(found.begin(), found.end(), std::back_inserter(used), [](std::int64_t c) { return c >= 0; });
        EXPECT_EQ(std::ssize(used), std::min(rows, columns));
        std::sort(used.begin(), used.end());
        EXPECT_EQ(std::adjacent_find(used.begin(), used.end()), used.end()) << "a column twice";
        EXPECT_NEAR(costOf(cost, columns, found), leastOfAll(cost, rows, columns), 1e-12) << rows << " x " << columns;
    }
}

TEST(CheapestPairs, FindAShuffleAgain)
{
    constexpr std::int64_t count = 200;
    std::mt19937 draw(5);
    std::vector<std::int64_t> shuffle(count);
    std::iota(shuffle.begin(), shuffle.end(), 0);
    std::shuffle(shuffle.begin(), shuffle.end(), draw);
    std::vector<double> cost(count * count, 0);
    for (std::int64_t row = 0; row < count; ++row)
        cost[static_cast<std::size_t>(row * count + shuffle[static_cast<std::size_t>(row)])] = -1;
    EXPECT_EQ(cheapestPairs(cost, count, count), shuffle);
}

TEST(CheapestPairs, OfNothingAreNone)
{
    EXPECT_TRUE(cheapestPairs({}, 0, 0).empty());
    EXPECT_TRUE(cheapestPairs({}, 0, 3).empty());
    EXPECT_EQ(cheapestPairs({}, 2, 0), (std::vector<std::int64_t>{-1, -1}));
}

} // namespace
} // namespace unroll
