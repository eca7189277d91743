// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_targets.h"
#include "core/kernels/vector_math/vector_math_case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace unroll::kernels {
namespace {

using namespace test;

class VectorMathOfTarget : public testing::TestWithParam<std::string> {
protected:
    ScopedCpuTarget target{GetParam()};
};

/// Every 4099th float, over a million; docs/numerics.md says what it is over all.
TEST(VectorMath, FloatsStayWithinTheStatedUlps)
{
    const std::vector<std::string> targets = cpuTargets();
    for (const StatedError& stated : statedErrors()) {
        const std::vector<LargestError> found = largestFloatErrors(stated.function, 4099, targets);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            EXPECT_LE(found[i].ulps, stated.ulps) << stated.name << " of " << found[i].at << " by " << targets[i];
            EXPECT_GT(found[i].ulps, 0.5) << stated.name << ": nothing was measured";
        }
    }
}

TEST_P(VectorMathOfTarget, DoublesStayWithinTheStatedUlps)
{
    for (const StatedError& stated : statedErrors()) {
        const LargestError found = largestDoubleError(stated.function);
        EXPECT_LE(found.ulps, stated.ulps) << stated.name << " of " << found.at;
    }
}

template <typename T>
T at(VectorFunction function, T x)
{
    std::vector<T> values(17, x); // a whole vector and a part of one
    applyVectorFunction(function, values.data(), values.data(), 17);
    EXPECT_TRUE(values[0] == values[16] || (std::isnan(values[0]) && std::isnan(values[16])));
    return values[16];
}

template <typename T>
void expectLimits()
{
    const T inf = std::numeric_limits<T>::infinity();
    EXPECT_EQ(at<T>(VectorFunction::Exp, -inf), T(0));
    EXPECT_EQ(at<T>(VectorFunction::Exp, inf), inf);
    EXPECT_EQ(at<T>(VectorFunction::Exp, T(0)), T(1));
    EXPECT_EQ(at<T>(VectorFunction::Sigmoid, inf), T(1));
    EXPECT_NEAR(at<T>(VectorFunction::Sigmoid, -inf), T(0), 1.2e-38);
    EXPECT_EQ(at<T>(VectorFunction::Sigmoid, T(0)), T(0.5));
    EXPECT_NEAR(at<T>(VectorFunction::SigmoidComplement, inf), T(0), 1.2e-38);
    EXPECT_EQ(at<T>(VectorFunction::Silu, inf), inf);
    EXPECT_EQ(at<T>(VectorFunction::Tanh, inf), T(1));
    EXPECT_EQ(at<T>(VectorFunction::Tanh, -inf), T(-1));
    EXPECT_EQ(at<T>(VectorFunction::Tanh, T(0)), T(0));
}

template <typename T>
void expectNanGoesThrough()
{
    for (const StatedError& stated : statedErrors())
        for (T nan : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()})
            EXPECT_TRUE(std::isnan(at<T>(stated.function, nan))) << stated.name;
}

TEST_P(VectorMathOfTarget, LimitsAreReached)
{
    expectLimits<float>();
    expectLimits<double>();
}

TEST_P(VectorMathOfTarget, NanGoesThrough)
{
    expectNanGoesThrough<float>();
    expectNanGoesThrough<double>();
}

TEST_P(VectorMathOfTarget, NothingBeyondTheRowIsTouched)
{
    for (std::int64_t count = 0; count <= 35; ++count) {
        std::vector<float> in(40, 0.25f), out(40, 7.0f);
        applyVectorFunction(VectorFunction::Exp, in.data(), out.data(), count);
        for (std::int64_t i = 0; i < 40; ++i)
            ASSERT_EQ(out[static_cast<std::size_t>(i)] == 7.0f, i >= count) << "count " << count << ", element " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, VectorMathOfTarget, testing::ValuesIn(cpuTargets()),
                         [](const auto& instance) { return instance.param; });

TEST(CpuTargets, AVectorTargetIsPresentAndChosenFirst)
{
    const std::vector<std::string> all = cpuTargets();
    ASSERT_FALSE(all.empty());
    {
        ScopedCpuTarget chosen(all.back());
        EXPECT_EQ(cpuTargets(), std::vector<std::string>{all.back()});
    }
    EXPECT_EQ(cpuTargets(), all);
}

} // namespace
} // namespace unroll::kernels
