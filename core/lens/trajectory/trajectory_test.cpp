// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/trajectory/trajectory.h"

#include "core/data/tasks/parity_task.h"
#include "core/data/text_dataset.h"
#include "core/lens/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unroll {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

ProbeFrame readingOf(std::int64_t steps, std::int64_t width, std::vector<float> values)
{
    return {.step = 3,
            .characters = {},
            .signalFrames = {{"lstm", "h", SignalKind::Bounded, steps, width, std::move(values)}}};
}

std::shared_ptr<const LensFrame> asked(const ProbeFrame& reading, Params settings = {})
{
    return frameOf({reading}, {"trajectory", "lstm", "h", std::move(settings)});
}

/// The numbers below are numpy 2.3's:
///     x = np.array([[((7*t*t + 3*t*i + 5*i*i + 2*t) % 17) / 8 - 1 for i in range(4)] for t in range(9)])
///     u, s, vh = np.linalg.svd(x - x.mean(0), full_matrices=False)
///     v = vh[k] * np.sign(vh[k][np.abs(vh[k]).argmax()])
///     (x - x.mean(0)) @ v, v, (s**2 / (s**2).sum())[k]
TEST(Trajectory, IsNumpys)
{
    std::vector<float> values;
    for (int t = 0; t < 9; ++t)
        for (int i = 0; i < 4; ++i)
            values.push_back(static_cast<float>((7 * t * t + 3 * t * i + 5 * i * i + 2 * t) % 17) / 8 - 1);
    const auto data = dataOf<TrajectoryData>(asked(readingOf(9, 4, values)));
    ASSERT_NE(data, nullptr);
    const std::vector<double> scores0{-1.087936577886, -0.664246358528, 1.157316633278,
                                      -0.279809873076, -0.661906117317, 1.12878870277,
                                      1.05583196279,   -0.194821854101, -0.45321651793};
    const std::vector<double> scores1{0.148631369143, -0.976201705254, -0.223597982374,
                                      1.273517326588, -0.305469834034, -0.963996827728,
                                      0.860352049241, 0.73760773141,   -0.550842126991};
    const std::vector<double> loadings0{0.707681324918, 0.31347454801, 0.585083774267, -0.242069880821};
    const std::vector<double> loadings1{-0.490820212972, 0.858532050258, 0.082714719285, -0.123192988564};
    EXPECT_THAT(data->scores[0], Pointwise(DoubleNear(1e-10), scores0));
    EXPECT_THAT(data->scores[1], Pointwise(DoubleNear(1e-10), scores1));
    EXPECT_THAT(data->loadings[0], Pointwise(DoubleNear(1e-10), loadings0));
    EXPECT_THAT(data->loadings[1], Pointwise(DoubleNear(1e-10), loadings1));
    EXPECT_NEAR(data->explained[0], 0.41551189, 1e-8);
    EXPECT_NEAR(data->explained[1], 0.35734588, 1e-8);
    const FigurePanel panel = data->figure().panels.at(0);
    EXPECT_EQ(panel.x.title, "PC 1 (41.6 % of the variance)");
    EXPECT_EQ(panel.y.title, "PC 2 (35.7 % of the variance)");
    EXPECT_TRUE(panel.square);
    EXPECT_EQ(panel.series.at(0).kind, FigureSeries::Kind::Line);
    EXPECT_EQ(panel.series.at(1).x, data->scores[0]);
}

/// Along (3, 4) / 5 about (1, -1): scores -5, 0, 5 and all of the variance.
TEST(Trajectory, OfALineIsTheLine)
{
    ProbeFrame reading = readingOf(3, 2, {-2, -5, 1, -1, 4, 3});
    reading.characters = {"b", "a", "b"};
    const auto data = dataOf<TrajectoryData>(asked(reading, {{"step", std::int64_t{1}}}));
    ASSERT_NE(data, nullptr);
    EXPECT_THAT(data->scores[0], Pointwise(DoubleNear(1e-12), std::vector<double>{-5, 0, 5}));
    EXPECT_THAT(data->scores[1], Pointwise(DoubleNear(1e-12), std::vector<double>{0, 0, 0}));
    EXPECT_THAT(data->loadings[0], Pointwise(DoubleNear(1e-12), std::vector<double>{0.6, 0.8}));
    EXPECT_NEAR(data->explained[0], 1, 1e-12);
    EXPECT_THAT(data->shade, ElementsAre(0, 0.5, 1));
    const FigurePanel panel = data->figure().panels.at(0);
    EXPECT_THAT(panel.series.at(1).notes, ElementsAre("step 1: b", "step 2: a", "step 3: b"));
    EXPECT_EQ(panel.series.at(2).name, "cursor");
    EXPECT_THAT(panel.series.at(2).notes, ElementsAre("step 2: a"));
}

TEST(Trajectory, OfOneNumberHasOneComponent)
{
    const auto data = dataOf<TrajectoryData>(asked(readingOf(4, 1, {-1, 2, 5, 2})));
    ASSERT_NE(data, nullptr);
    EXPECT_THAT(data->scores[0], Pointwise(DoubleNear(1e-12), std::vector<double>{-3, 0, 3, 0}));
    EXPECT_THAT(data->scores[1], ElementsAre(0, 0, 0, 0));
    EXPECT_NEAR(data->explained[0], 1, 1e-12);
    EXPECT_EQ(data->explained[1], 0);
}

TEST(Trajectory, IsColouredByTokenOrAnswer)
{
    ProbeFrame reading = readingOf(3, 2, {0, 1, 2, 0, 1, 5});
    EXPECT_THAT(asked(reading, {{"colour", std::string("token")}})->trouble, HasSubstr("no tokens"));
    EXPECT_THAT(asked(reading, {{"colour", std::string("answer")}})->trouble, HasSubstr("no probability"));
    reading.characters = {"c", "a", "b"};
    EXPECT_THAT(dataOf<TrajectoryData>(asked(reading, {{"colour", std::string("token")}}))->shade,
                ElementsAre(1, 0, 0.5));
    reading.answers = {{"a", 0.25f, 1, {}}, {"", 0, 0, {}}, {"c", 1, 0, {}}};
    const auto data = dataOf<TrajectoryData>(asked(reading, {{"colour", std::string("answer")}}));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->shade[0], 0.25);
    EXPECT_TRUE(std::isnan(data->shade[1])) << "nothing is asked there";
    const FigurePanel panel = data->figure().panels.at(0);
    EXPECT_EQ(panel.series.at(1).name, "steps without a colour");
    EXPECT_THAT(panel.series.at(1).notes, ElementsAre("step 2: a"));
    EXPECT_THAT(panel.series.at(2).shade, ElementsAre(0.25, 1));
    reading.answers = std::vector<StepAnswer>(3);
    EXPECT_THAT(asked(reading, {{"colour", std::string("answer")}})->trouble, HasSubstr("has a target class"));
    EXPECT_TRUE(needsOf({{"trajectory", "lstm", "h", {{"colour", std::string("answer")}}}}).answers);
    EXPECT_FALSE(needsOf({{"trajectory", "lstm", "h", {}}}).answers);
}

/// A signal of one number that rises, and what was read of the data.
std::shared_ptr<const LensFrame> colouredBy(const std::string& feature, const Dataset& data, const ProbeText& text)
{
    std::vector<float> rising(text.steps());
    for (std::size_t t = 0; t < rising.size(); ++t)
        rising[t] = static_cast<float>(t);
    const ProbeFrame look = readingOf(std::ssize(rising), 1, rising);
    return frameOf({look, nullptr, &data, &text},
                   {"trajectory", "lstm", "h", {{"colour", std::string("feature")}, {"feature", feature}}});
}

TEST(Trajectory, IsColouredByAFeatureOfATask)
{
    ParityOptions options;
    options.everyStep = true;
    const auto task = ParityTask::create(options).value();
    const ProbeText text = makeReading(*task, {});
    const auto one = static_cast<std::int32_t>(task->classes() - 1);
    std::vector<double> odd, ones;
    for (const std::int32_t token : text.tokens) {
        ones.push_back((ones.empty() ? 0 : ones.back()) + (token == one ? 1 : 0));
        odd.push_back(std::fmod(ones.back(), 2));
    }
    const auto parity = dataOf<TrajectoryData>(colouredBy("parity", *task, text));
    ASSERT_NE(parity, nullptr);
    EXPECT_EQ(parity->shade, odd);
    EXPECT_THAT(parity->figure().shows, HasSubstr("by the parity so far: 1 when the number of ones so far is odd"));
    const auto count = dataOf<TrajectoryData>(colouredBy("the number of ones so far", *task, text));
    ASSERT_NE(count, nullptr);
    EXPECT_EQ(count->feature, ones) << "as it is in files";
    EXPECT_EQ(count->shade.back(), 1) << "from the least to the greatest";
    EXPECT_EQ(count->figure().arrays.back().name, "feature");
    EXPECT_EQ(dataOf<TrajectoryData>(colouredBy("", *task, text))->shade, odd) << "the first that changes";
    EXPECT_THAT(colouredBy("parrity", *task, text)->trouble, HasSubstr("no feature named parrity"));
    EXPECT_THAT(asked(readingOf(3, 1, {1, 2, 3}), {{"colour", std::string("feature")}})->trouble,
                HasSubstr("not available"));
}

/// What lies before a reading tells that it begins inside a quotation.
TEST(Trajectory, AFeatureSeesWhatLiesAboutTheReading)
{
    TextSource source;
    source.name = "a.txt";
    for (int i = 0; i < 20; ++i)
        source.text += "Ada said \"come along now\" and left. ";
    TextOptions options;
    options.steps = 16;
    const auto data = TextDataset::fromSource(std::move(source), options).value();
    const std::int64_t inside = 36 + 15;
    const ProbeText text = makeReading(*data, {.from = ReadingRequest::From::Place, .at = inside, .length = 16});
    EXPECT_EQ(std::ssize(text.before), inside);
    EXPECT_FALSE(text.behind.empty());
    EXPECT_TRUE(text.begins);
    const auto found = dataOf<TrajectoryData>(colouredBy("in_quotes", *data, text));
    ASSERT_NE(found, nullptr);
    EXPECT_THAT(found->shade, ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0)) << "along now\" and l";
}

TEST(Trajectory, StepsWithoutNumbersAreCountedAndLeftOut)
{
    const auto data = dataOf<TrajectoryData>(asked(readingOf(4, 2, {-2, -5, kNotANumber, kNotANumber, 1, -1, 4, 3})));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->missing, 2);
    EXPECT_EQ(data->used, 3);
    EXPECT_NEAR(data->scores[0][0], -5, 1e-12);
    EXPECT_TRUE(std::isnan(data->scores[0][1]) && std::isnan(data->scores[1][1]));
    const Figure figure = data->figure();
    EXPECT_EQ(figure.missing, 2);
    EXPECT_THAT(figure.findings.at(1), HasSubstr("1 of 4 steps are left out"));
}

TEST(Trajectory, SayWhyThereIsNone)
{
    EXPECT_THAT(asked(readingOf(0, 2, {}))->trouble, HasSubstr("has no values"));
    const std::string tooShort =
        "the reading is too short: a plane of states needs at least 3 steps, and this reading has ";
    EXPECT_THAT(asked(readingOf(1, 2, {1, 2}))->trouble, HasSubstr(tooShort + "1"));
    EXPECT_THAT(asked(readingOf(2, 1, {1, 2}))->trouble, HasSubstr(tooShort + "2"));
    EXPECT_THAT(asked(readingOf(2, 1, {1, kNotANumber}))->trouble, HasSubstr(tooShort + "2"));
    EXPECT_THAT(asked(readingOf(3, 1, {1, kNotANumber, 2}))->trouble,
                HasSubstr("at least 3 steps whose values are all numbers, and this reading has 2 of 3"));
    EXPECT_THAT(asked(readingOf(5, 1, {0.1f, 0.1f, 0.1f, 0.1f, 0.1f}))->trouble, HasSubstr("the same at every step"));
    EXPECT_THAT(asked(readingOf(3, 1, {1, 3, 2}), {{"step", std::int64_t{3}}})->trouble, HasSubstr("step 4"));
}

} // namespace
} // namespace unroll
