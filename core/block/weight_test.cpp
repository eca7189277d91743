// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/weight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace unroll {
namespace {

struct Moments {
    double mean, deviation;
};

double made(InitialValues::Draw draw, double u)
{
    switch (draw) {
    case InitialValues::Draw::LogOfUniform: return std::log(u);
    case InitialValues::Draw::LogOfLog: return std::log(-0.5 * std::log(u));
    default: return u;
    }
}

/// Of what a distribution says, drawn here by the standard library.
Moments drawnMoments(const InitialValues& initial)
{
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform(initial.low, initial.high);
    constexpr int kDraws = 200'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double u = uniform(random);
        const double value = initial.shift + initial.scale * made(initial.draw, u);
        sum += value;
        squares += value * value;
    }
    const double mean = sum / kDraws;
    return {mean, std::sqrt(squares / kDraws - mean * mean)};
}

TEST(InitialValues, HaveTheMomentsOfTheirDraws)
{
    for (const InitialValues& initial :
         {uniformValues(0.3, "0.3"), shifted(uniformValues(0.3, ""), 2), scaled(uniformValues(0.5, "a"), 3),
          logUniformValues(1, 99, -1), shifted(logUniformValues(1, 4, 1), 1), logUniformValues(0, 2, 0.5),
          logOfLogValues(0, 1), logOfLogValues(0.81, 0.98)}) {
        const Moments drawn = drawnMoments(initial);
        EXPECT_NEAR(initial.mean(), drawn.mean, 0.01) << initial.text(true);
        EXPECT_NEAR(initial.deviation(), drawn.deviation, 0.01) << initial.text(true);
    }
    EXPECT_EQ(constantValues(-2).mean(), -2);
    EXPECT_EQ(constantValues(-2).deviation(), 0);
    EXPECT_EQ(normalValues(0.02).deviation(), 0.02);
    EXPECT_EQ(logUniformValues(1, 1, 1).mean(), 0) << "a span of one step";
    EXPECT_EQ(logUniformValues(1, 1, 1).deviation(), 0);
}

TEST(InitialValues, AreSaidInWords)
{
    EXPECT_EQ(zeroValues().text(true), "0");
    EXPECT_EQ(constantValues(1).text(false), "1");
    EXPECT_EQ(constantValues(-2, "highway_bias").text(true), "highway_bias = -2");
    EXPECT_EQ(uniformValues(0.0884, "1/√units").text(false), "uniform within ±1/√units");
    EXPECT_EQ(uniformValues(0.0884, "1/√units").text(true), "uniform within ±1/√units = ±0.0884");
    EXPECT_EQ(shifted(uniformValues(0.5, ""), 1).text(true), "uniform within ±0.5, plus 1");
    EXPECT_EQ(scaled(uniformValues(1, "√(3 / in)"), 0.5).text(true), "uniform within ±0.5 √(3 / in) = ±0.5");
    EXPECT_EQ(scaled(uniformValues(1, "√(3 / in)"), 1).text(false), "uniform within ±√(3 / in)");
    EXPECT_EQ(normalValues(0.02).text(true), "normal, std 0.02");
    EXPECT_EQ(orthogonalValues().text(true), "orthogonal");
    EXPECT_EQ(logUniformValues(1, 99, -1).text(true), "−ln u, u uniform from 1 to 99");
    EXPECT_EQ(logOfLogValues(0, 1).text(true), "ln(−½ ln u), u uniform from 0 to 1");
}

TEST(WeightSpec, SaysItsShapeAndItsParts)
{
    WeightSpec weight{.name = "bias", .shape = {{256, "2 units"}}, .parts = {}, .source = ""};
    weight.parts = {{"forget gate", 128, zeroValues()}, {"reset gate", 128, constantValues(-2)}};
    EXPECT_EQ(weight.symbols(), "[2 units]");
    EXPECT_EQ(weight.sizesText(), "[256]");
    EXPECT_EQ(weight.initialText(true), "forget gate: 0; reset gate: -2");
    weight.parts[1].initial = zeroValues();
    EXPECT_EQ(weight.initialText(true), "0") << "what begins alike is said once";
    EXPECT_EQ(weight.trainingText(), "no weight decay");
    weight.rule = {.decay = true, .learningRateScale = 0.5, .clipGroup = "slow"};
    EXPECT_EQ(weight.trainingText(), "weight decay, learning rate × 0.5, gradient clipped with the group slow");
    weight.rule = {.decay = std::nullopt, .learningRateScale = 0, .clipGroup = ""};
    EXPECT_EQ(weight.trainingText(), "no weight decay, frozen: learning rate × 0");
    weight.rule = {.l1 = 1e-4, .l2 = 0.5, .constraint = {WeightConstraint::Kind::MaxNorm, 2}};
    EXPECT_EQ(weight.trainingText(),
              "no weight decay, 0.0001 Σ|w| in the loss, 0.5 Σw² in the loss, its norm at most 2");
    weight.rule = {.constraint = {WeightConstraint::Kind::UnitNorm}};
    EXPECT_EQ(weight.rule.text(2), "weight decay, each row's norm kept at 1");
    WeightConstraint within{WeightConstraint::Kind::MinMaxNorm, 2, 0.5};
    weight.rule = {.orthogonal = 0.01, .constraint = within};
    EXPECT_EQ(weight.rule.text(2),
              "weight decay, 0.01 of the mean |cos| between rows in the loss, each row's norm kept "
              "within 0.5 to 2");
    within.rate = 0.25;
    within.columns = true;
    weight.rule = {.orthogonal = 0.01, .orthogonalColumns = true, .constraint = within};
    EXPECT_EQ(weight.rule.text(2),
              "weight decay, 0.01 of the mean |cos| between columns in the loss, each column's norm "
              "moved 0.25 of the way into 0.5 to 2");
    weight.trained = false;
    EXPECT_EQ(weight.trainingText(), "not trained");
}

TEST(WeightSpec, CountsWhatIsTrained)
{
    WeightSpec buffer = plainWeight("mask", {{5, "5"}}, zeroValues());
    buffer.trained = false;
    const WeightSpec matrix = plainWeight("w", {{3, "out"}, {4, "in"}}, zeroValues());
    EXPECT_EQ(trainedElements({matrix, buffer}), 12);
    EXPECT_TRUE(sizesAreKnown({matrix, buffer}));
    EXPECT_FALSE(sizesAreKnown({plainWeight("w", {{3, "out"}, {0, "in"}}, zeroValues())})) << "the input is free";
    const std::int64_t huge = std::int64_t{1} << 40;
    EXPECT_EQ(trainedElements({plainWeight("w", {{huge, "a"}, {huge, "b"}}, zeroValues()), matrix}),
              std::numeric_limits<std::int64_t>::max());
}

} // namespace
} // namespace unroll
