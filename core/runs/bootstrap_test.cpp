// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/bootstrap.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace unroll {
namespace {

TEST(Bootstrap, OfTwoValuesIsTheirRange)
{
    // 4 resamples: 0, 0.5, 0.5, 1; place 0.025 x 3 = 0.075 lies between the first two.
    const std::vector<double> values{0, 1};
    const Interval interval = bootstrapInterval(values);
    EXPECT_DOUBLE_EQ(interval.low, 0.0375);
    EXPECT_DOUBLE_EQ(interval.high, 0.9625);
    EXPECT_DOUBLE_EQ(meanOf(values), 0.5);
}

TEST(Bootstrap, OfOneOrEqualValuesIsThatValue)
{
    EXPECT_EQ(bootstrapInterval(std::vector<double>{1.5}), (Interval{1.5, 1.5}));
    EXPECT_EQ(bootstrapInterval(std::vector<double>{2, 2, 2}), (Interval{2, 2}));
    EXPECT_EQ(bootstrapInterval(std::vector<double>(9, 2.0)), (Interval{2, 2}));
}

/// All n^n resamples one by one.
Interval listedInterval(const std::vector<double>& values)
{
    std::vector<double> means;
    std::vector<std::size_t> digits(values.size());
    for (bool more = true; more;) {
        double sum = 0;
        for (const std::size_t digit : digits)
            sum += values[digit];
        means.push_back(sum / static_cast<double>(values.size()));
        more = false;
        for (std::size_t& digit : digits) {
            if (++digit < values.size()) {
                more = true;
                break;
            }
            digit = 0;
        }
    }
    std::sort(means.begin(), means.end());
    const auto quantile = [&](double share) {
        const double place = share * static_cast<double>(means.size() - 1);
        const auto low = static_cast<std::size_t>(place);
        const double upper = means[std::min(low + 1, means.size() - 1)];
        return means[low] + (upper - means[low]) * (place - static_cast<double>(low));
    };
    return {quantile(0.025), quantile(0.975)};
}

TEST(Bootstrap, CountsEveryResample)
{
    const std::vector<double> values{1.31, 1.02, 1.57, 1.18, 1.44, 0.93};
    for (std::size_t count = 2; count <= values.size(); ++count) {
        const std::vector<double> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
        const Interval counted = bootstrapInterval(some), listed = listedInterval(some);
        EXPECT_NEAR(counted.low, listed.low, 1e-14) << count;
        EXPECT_NEAR(counted.high, listed.high, 1e-14) << count;
    }
}

/// Of 0 .. 8 the mean of a resample has variance 60/9/9: 1.96 deviations are 1.687, and draws come near that.
TEST(Bootstrap, DrawsOfManyValuesComeNearTheNormalOne)
{
    const std::vector<double> values{0, 1, 2, 3, 4, 5, 6, 7, 8};
    const Interval interval = bootstrapInterval(values);
    EXPECT_NEAR(interval.low, 4 - 1.687, 0.06);
    EXPECT_NEAR(interval.high, 4 + 1.687, 0.06);
    EXPECT_EQ(bootstrapInterval(values), interval);
}

} // namespace
} // namespace unroll
