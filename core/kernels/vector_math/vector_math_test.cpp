// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/cpu_targets.h"
#include "core/kernels/vector_math/vector_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace unroll::kernels {
namespace {

/// Exact enough for both: long double holds 64 bits on x86.
long double exact(VectorFunction function, long double x)
{
    switch (function) {
    case VectorFunction::Exp: return std::exp(x);
    case VectorFunction::Sigmoid: return 1 / (1 + std::exp(-x));
    case VectorFunction::SigmoidComplement: return 1 / (1 + std::exp(x));
    case VectorFunction::Silu: return x / (1 + std::exp(-x));
    case VectorFunction::Tanh: return std::tanh(x);
    }
    return 0;
}

/// `floor` is the absolute error allowed where the result leaves the normal numbers.
template <typename T>
long double errorInUlps(T got, long double want, long double floor)
{
    if (std::abs(want) < 2 * floor)
        return std::abs(got - want) <= 1.01L * floor ? 0 : std::numeric_limits<long double>::infinity();
    const T rounded = static_cast<T>(std::abs(want));
    return std::abs(got - want) / (std::nextafter(rounded, std::numeric_limits<T>::infinity()) - rounded);
}

/// Arguments of both signs: evenly spaced over [-limit, limit], and in octaves down to 1e-30.
template <typename T>
std::vector<T> arguments(double limit)
{
    std::vector<T> xs;
    const int even = 100000;
    for (int i = 0; i <= even; ++i)
        xs.push_back(static_cast<T>(-limit + 2 * limit * i / even));
    for (double x = 1e-30; x < limit; x *= 1.001)
        for (double sign : {-1.0, 1.0})
            xs.push_back(static_cast<T>(sign * x));
    return xs;
}

/// What vector_math_inl.h promises near 0.
template <typename T>
long double resolution(VectorFunction function, T x)
{
    const long double smallest = std::numeric_limits<T>::min();
    return function == VectorFunction::Silu && x < -1 ? -smallest * x : smallest;
}

template <typename T>
long double largestError(VectorFunction function, double limit)
{
    const std::vector<T> xs = arguments<T>(limit);
    std::vector<T> ys(xs.size());
    applyVectorFunction(function, xs.data(), ys.data(), static_cast<std::int64_t>(xs.size()));
    long double worst = 0;
    for (std::size_t i = 0; i < xs.size(); ++i)
        worst = std::max(worst, errorInUlps(ys[i], exact(function, xs[i]), resolution(function, xs[i])));
    return worst;
}

struct Bound {
    VectorFunction function;
    const char* name;
    double limitFloat;
    double limitDouble;
    double ulps;
};

/// The bounds that vector_math_inl.h promises.
const Bound bounds[] = {{VectorFunction::Exp, "exp", 88.7, 709.7, 2},
                        {VectorFunction::Sigmoid, "sigmoid", 100, 800, 3},
                        {VectorFunction::SigmoidComplement, "1 - sigmoid", 100, 800, 3},
                        {VectorFunction::Silu, "silu", 100, 800, 4},
                        {VectorFunction::Tanh, "tanh", 30, 50, 4}};

class VectorMath : public testing::TestWithParam<std::string> {
protected:
    ScopedCpuTarget target{GetParam()};
};

TEST_P(VectorMath, ErrorsStayWithinTheStatedUlps)
{
    for (const Bound& bound : bounds) {
        const auto inFloat = static_cast<double>(largestError<float>(bound.function, bound.limitFloat));
        const auto inDouble = static_cast<double>(largestError<double>(bound.function, bound.limitDouble));
        EXPECT_LE(inFloat, bound.ulps) << bound.name << ", float";
        EXPECT_LE(inDouble, bound.ulps) << bound.name << ", double";
        RecordProperty(std::string(bound.name) + " ulps float", std::to_string(inFloat));
        RecordProperty(std::string(bound.name) + " ulps double", std::to_string(inDouble));
        std::printf("%-8s %-12s float %.2f ulp, double %.2f ulp\n", GetParam().c_str(), bound.name, inFloat, inDouble);
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
    for (const Bound& bound : bounds)
        for (T nan : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()})
            EXPECT_TRUE(std::isnan(at<T>(bound.function, nan))) << bound.name;
}

TEST_P(VectorMath, LimitsAreReached)
{
    expectLimits<float>();
    expectLimits<double>();
}

TEST_P(VectorMath, NanGoesThrough)
{
    expectNanGoesThrough<float>();
    expectNanGoesThrough<double>();
}

TEST_P(VectorMath, NothingBeyondTheRowIsTouched)
{
    for (std::int64_t count = 0; count <= 35; ++count) {
        std::vector<float> in(40, 0.25f), out(40, 7.0f);
        applyVectorFunction(VectorFunction::Exp, in.data(), out.data(), count);
        for (std::int64_t i = 0; i < 40; ++i)
            ASSERT_EQ(out[static_cast<std::size_t>(i)] == 7.0f, i >= count) << "count " << count << ", element " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, VectorMath, testing::ValuesIn(cpuTargets()),
                         [](const auto& instance) { return instance.param; });

TEST(CpuTargets, AVectorTargetIsPresentAndChosenFirst)
{
    ASSERT_FALSE(cpuTargets().empty());
    EXPECT_EQ(cpuTargetInUse(), cpuTargets().front());
    const std::string last = cpuTargets().back();
    {
        ScopedCpuTarget chosen(last);
        EXPECT_EQ(cpuTargetInUse(), last);
    }
    EXPECT_EQ(cpuTargetInUse(), cpuTargets().front());
}

} // namespace
} // namespace unroll::kernels
