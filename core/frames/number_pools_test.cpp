// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/number_pools.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace unroll {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Through {
    std::vector<double> back;
    std::string pool;
};

Through through(const std::vector<double>& values, Nearness nearness)
{
    NumberPools pools;
    (void)pools.put({1, 2, 3}, Nearness::Exact); // another list before it
    const Json place = pools.put(values, nearness);
    static const char* const names[] = {"half", "single", "double"};
    const auto pool = static_cast<std::size_t>((*place.asArray())[0].asInt().value());
    return {ReadPools::of(pools.tensors()).value().take(place).value(), names[pool]};
}

TEST(NumberPools, GivesListsBackInHalfPrecision)
{
    std::mt19937_64 draw(7);
    for (const double scale : {1e-200, 1e-12, 1.0, 3e4, 1e9, 1e200}) {
        std::normal_distribution<double> normal(0, scale);
        std::vector<double> values;
        for (int i = 0; i < 3000; ++i)
            values.push_back(normal(draw));
        values[5] = 0;
        values[6] = kNone;
        values[7] = kInfinite;
        values[8] = -kInfinite;
        double largest = 0;
        for (const double value : values)
            if (std::isfinite(value))
                largest = std::max(largest, std::fabs(value));
        const Through all = through(values, Nearness::Largest);
        EXPECT_EQ(all.pool, "half") << scale;
        ASSERT_EQ(all.back.size(), values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::isnan(values[i]))
                EXPECT_TRUE(std::isnan(all.back[i]));
            else if (std::isinf(values[i]))
                EXPECT_EQ(all.back[i], values[i]);
            else
                EXPECT_LE(std::fabs(all.back[i] - values[i]),
                          std::max(std::fabs(values[i]) / 2048, std::ldexp(largest, -38)))
                    << values[i];
        }
        EXPECT_EQ(all.back[5], 0);
    }
}

TEST(NumberPools, OnALogarithmicAxisSmallNumbersKeepTheirDigits)
{
    const std::vector<double> wide{1e-12, 3.3e-9, 7e-5, 0.4, 12345, 3e7};
    const Through single = through(wide, Nearness::Relative);
    EXPECT_EQ(single.pool, "single") << "they do not fit into a half";
    const std::vector<double> wider{1e-120, 1, 1e150};
    const Through whole = through(wider, Nearness::Relative);
    EXPECT_EQ(whole.pool, "double");
    for (std::size_t i = 0; i < wide.size(); ++i)
        EXPECT_LE(std::fabs(single.back[i] - wide[i]), wide[i] / 2048);
    EXPECT_EQ(whole.back, wider);
    EXPECT_EQ(through({0.1, 0.2, 5}, Nearness::Relative).pool, "half");
}

TEST(NumberPools, PlacesOnAnAxisAreExact)
{
    std::vector<double> few, many;
    for (int i = 0; i < 2049; ++i)
        few.push_back(i);
    for (int i = 0; i < 5000; ++i)
        many.push_back(i);
    EXPECT_EQ(through(few, Nearness::Exact).pool, "half");
    EXPECT_EQ(through(few, Nearness::Exact).back, few);
    EXPECT_EQ(through(many, Nearness::Exact).pool, "single");
    EXPECT_EQ(through(many, Nearness::Exact).back, many);
    const std::vector<double> odd{0.1, 0.7, 1.0 / 3};
    EXPECT_EQ(through(odd, Nearness::Exact).pool, "half") << "of a scatter: as near as a relative one";
    EXPECT_NEAR(through(odd, Nearness::Exact).back[2], 1.0 / 3, 1.0 / 3 / 2048);
    EXPECT_TRUE(through({}, Nearness::Exact).back.empty());
}

TEST(NumberPools, APlaceThatIsNoneIsRefused)
{
    NumberPools pools;
    (void)pools.put({1, 2, 3}, Nearness::Exact);
    const ReadPools read = ReadPools::of(pools.tensors()).value();
    const auto placed = [](std::vector<std::int64_t> parts) {
        Json place{JsonArray{}};
        for (const std::int64_t part : parts)
            place.push(part);
        return place;
    };
    EXPECT_TRUE(read.take(placed({0, 1, 2, 0})));
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                           least = std::numeric_limits<std::int64_t>::min();
    for (const auto& parts : std::vector<std::vector<std::int64_t>>{{0, 0, 4, 0},
                                                                    {0, 4, 0, 0},
                                                                    {0, 1, most, 0},
                                                                    {0, most, 1, 0},
                                                                    {0, -1, 1, 0},
                                                                    {0, 0, -1, 0},
                                                                    {1, 0, 1, 0},
                                                                    {3, 0, 0, 0},
                                                                    {-1, 0, 0, 0},
                                                                    {0, 0, 1, most},
                                                                    {0, 0, 1, least},
                                                                    {0, 0, 1},
                                                                    {}})
        EXPECT_FALSE(read.take(placed(parts))) << parts.size();
    EXPECT_FALSE(read.take(Json("here")));
    std::vector<format::OwnedTensor> wrong = pools.tensors();
    wrong.front().name = "single";
    EXPECT_FALSE(ReadPools::of(std::move(wrong)));
}

} // namespace
} // namespace unroll
