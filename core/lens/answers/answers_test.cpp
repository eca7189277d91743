// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/answers/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

StepAnswer came(const std::string& label, double probability)
{
    return {label, probability, -std::log(probability), {{"x", 0.5}, {label, probability}}, 1};
}

/// Three letters, the last of which nothing follows.
ProbeFrame threeLetters()
{
    ProbeFrame look{.step = 9, .characters = {"a", "b", "c"}, .signalFrames = {}};
    look.answers = {came("b", 0.25), came("c", 0.125), {{}, kNone, kNone, {{"x", 0.75}, {"y", 0.25}}, 0}};
    look.of = "the given text";
    look.lossUnit = "nats/token";
    return look;
}

std::shared_ptr<const AnswersData> askedOf(const ProbeFrame& look, std::int64_t step = -1)
{
    const auto frame = frameOf({look}, answersQuery(step));
    EXPECT_NE(frame->data, nullptr) << frame->trouble;
    return dataOf<AnswersData>(frame);
}

TEST(Answers, NeedAnswersAndNoSignal)
{
    const LensNeeds needs = needsOf({answersQuery(3)});
    EXPECT_TRUE(needs.answers && needs.forecasts && needs.watched.empty());
    EXPECT_FALSE(findLens("answers")->spec().takesSignal);
}

TEST(Answers, KnownAnswer)
{
    const auto data = askedOf(threeLetters());
    EXPECT_EQ(data->targets(), 2);
    EXPECT_NEAR(*data->meanLoss(), (std::log(4.0) + std::log(8.0)) / 2, 1e-15);
    EXPECT_THAT(data->mostSurprising(3), ElementsAre(1, 0));
    const Figure figure = data->figure();
    EXPECT_THAT(figure.shows, HasSubstr("3 steps of the given text"));
    ASSERT_EQ(figure.panels.size(), 2u);
    EXPECT_EQ(figure.panels[0].id, "loss");
    EXPECT_NEAR(figure.panels[0].series[0].y[1], std::log(8.0), 1e-15);
    EXPECT_TRUE(std::isnan(figure.panels[0].series[0].y[2]));
    EXPECT_TRUE(figure.panels[0].x.steps);
    EXPECT_THAT(figure.panels[1].series[0].y, ElementsAre(0.25, 0.125, ::testing::IsNan()));
    EXPECT_EQ(figure.missing, 0) << "nothing came at the end, which is no fault";
    ASSERT_EQ(figure.findings.size(), 3u);
    EXPECT_EQ(figure.findings[0], "Mean loss 1.733 nats/token over 2 targets.");
    EXPECT_EQ(figure.findings[1],
              "Step 2 after \"ab\": target \"c\", probability 0.12, loss 2.079 nats; likeliest was \"x\" (0.5).");
}

TEST(Answers, ListTheLikeliestAtTheCursor)
{
    const auto rowsAt = [](std::int64_t step) { return askedOf(threeLetters(), step)->figure().tables.at(0).rows; };
    ASSERT_EQ(rowsAt(0).size(), 2u);
    EXPECT_THAT(rowsAt(0)[0].cells, ElementsAre("x", "0.5", ""));
    EXPECT_THAT(rowsAt(0)[1].cells, ElementsAre("b", "0.25", "came"));
    EXPECT_EQ(rowsAt(0)[1].step, 0);
    EXPECT_THAT(rowsAt(-1)[0].cells, ElementsAre("x", "0.75", "")) << "the last step";
    EXPECT_THAT(rowsAt(400)[0].cells, ElementsAre("x", "0.75", ""));
    ProbeFrame look = threeLetters();
    look.answers[0].likeliest.pop_back();
    EXPECT_THAT(askedOf(look, 0)->figure().tables.at(0).rows.back().cells, ElementsAre("b", "0.25", "came"))
        << "what came is there, likely or not";
}

TEST(Answers, OfNumbersShowWhatWasPredicted)
{
    ProbeFrame look{.step = 9, .characters = {}, .signalFrames = {}};
    look.forecasts = {{"height", {1, 2, 3}, {1, 4, kNan}}, {"width", {0, 0, 0}, {kNan, 1, kNan}}};
    look.answers = {{{}, kNone, 0.0, {}, 1}, {{}, kNone, 2.5, {}, 2}, {{}, kNone, kNone, {}, 0}};
    look.lossUnit = "squared error";
    const auto data = askedOf(look, 1);
    EXPECT_NEAR(*data->meanLoss(), 5.0 / 3, 1e-15) << "over targets, not over steps";
    const Figure figure = data->figure();
    ASSERT_EQ(figure.panels.size(), 3u);
    EXPECT_EQ(figure.panels[1].title, "height");
    EXPECT_THAT(figure.panels[1].series[1].y, ElementsAre(1, 2, 3));
    EXPECT_THAT(figure.tables.at(0).rows.at(1).cells, ElementsAre("width", "0", "1"));
    EXPECT_EQ(figure.findings[0], "Mean loss 1.667 squared error over 3 targets.");
    EXPECT_EQ(figure.findings[1], "Step 2: loss 2.5 squared error.");
}

TEST(Answers, WhatIsNoNumberIsCounted)
{
    ProbeFrame look = threeLetters();
    look.answers[0].loss = kNone;
    const Figure figure = askedOf(look)->figure();
    EXPECT_EQ(figure.missing, 1);
    EXPECT_THAT(figure.findings, ElementsAre(HasSubstr("n/a")));
}

TEST(Answers, OfNothingAskedSaySo)
{
    ProbeFrame look = threeLetters();
    look.answers = {look.answers[2]};
    look.characters = {"c"};
    const auto data = askedOf(look);
    EXPECT_EQ(data->meanLoss(), std::nullopt);
    EXPECT_THAT(data->figure().findings, ElementsAre(HasSubstr("no targets")));
    EXPECT_THAT(data->mostSurprising(3), IsEmpty());
    EXPECT_NE(frameOf({ProbeFrame{}}, answersQuery())->trouble, "");
}

} // namespace
} // namespace unroll
