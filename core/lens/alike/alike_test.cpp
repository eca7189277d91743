// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/alike/alike.h"

#include "core/lens/alike/streams.h"
#include "core/lens/alike/windows.h"
#include "core/lens/probe.h"
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace unroll::lenses::alike {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using unroll::testing::BuiltRun;
using unroll::testing::makeGraph;
using unroll::testing::makeNode;
using unroll::testing::tinyExperiment;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// Bundled text -> one-hot -> lstm -> head: a unit of the one-hot is on exactly where its character is.
Experiment oneHotExperiment()
{
    Experiment experiment = tinyExperiment();
    experiment.graph = makeGraph(
        {makeNode(1, "text", "text", {{"order", std::string("streams")}, {"steps", std::int64_t{16}}}),
         makeNode(2, "one_hot", "one_hot"), makeNode(3, "lstm", "lstm", {{"units", std::int64_t{8}}}),
         makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    return experiment;
}

/// A reading of the run's data, with one signal.
struct Reading {
    ProbeText text;
    ProbeFrame look;
    LensQuery query;

    Reading(const BuiltRun& run, const std::string& node, const std::string& signal, const std::string& read = {})
        : text(makeProbeText(*run.data, read)),
          look(probe(*run.model, text, {{node, signal}}, 5)),
          query{"alike", node, signal, {}}
    {}

    std::shared_ptr<const LensFrame> asked(const BuiltRun& run, std::int64_t from, std::int64_t to,
                                           Params settings = {}) const
    {
        LensQuery full = query;
        full.settings = std::move(settings);
        full.settings["from"] = from;
        full.settings["to"] = to;
        return frameOf({look, run.model.get(), run.data.get(), &text}, full);
    }
};

std::string unitsUpTo(std::int64_t count)
{
    std::string text;
    for (std::int64_t unit = 0; unit < count; ++unit)
        text += (text.empty() ? "" : ",") + std::to_string(unit);
    return text;
}

TEST(Alike, QuantilesAreNumpys)
{
    // np.quantile([3, 1, 2, 10], 0.75), np.quantile([5], 0.75), np.quantile([1, 2, 3, 4, 5], 0.75)
    EXPECT_DOUBLE_EQ(quantileOf({3, 1, 2, 10}, 0.75), 4.75);
    EXPECT_DOUBLE_EQ(quantileOf({5}, 0.75), 5);
    EXPECT_DOUBLE_EQ(quantileOf({5, 3, 1, kNotANumber, 2, 4}, 0.75), 4);
    EXPECT_TRUE(std::isnan(quantileOf({kNotANumber}, 0.75)));
}

/// 70 units take two words; some values are not numbers.
TEST(Alike, WindowsAreScoredAsPlainLoopsDo)
{
    std::mt19937 random(2);
    std::uniform_real_distribution<float> draw(0, 1);
    constexpr std::int64_t width = 70, steps = 40, length = 3;
    std::vector<float> values(width * steps);
    for (float& value : values)
        value = draw(random) < 0.05f ? std::numeric_limits<float>::quiet_NaN() : draw(random);
    std::vector<AlikeUnit> units;
    for (std::int64_t unit = 0; unit < width; ++unit)
        units.push_back({unit, 0.5});
    const Pattern stream = patternOf(values, width, units);
    const Pattern span = patternOf(std::span(values).subspan(width * 7, width * length), width, units);
    const auto windows = scoredWindows({stream}, span, SpanPlace{0, 7});
    ASSERT_EQ(std::ssize(windows), steps - length + 1 - 5) << "five overlap the span itself";
    for (const Window& window : windows) {
        std::int64_t agree = 0;
        for (std::int64_t i = 0; i < width * length; ++i) {
            const float a = values[static_cast<std::size_t>(window.step * width + i)];
            const float b = values[static_cast<std::size_t>(7 * width + i)];
            agree += std::isfinite(a) && std::isfinite(b) && (a > 0.5f) == (b > 0.5f);
        }
        EXPECT_EQ(window.agreeing, agree);
        EXPECT_GE(std::abs(window.step - 7), length);
    }
    EXPECT_EQ(stream.missing,
              std::count_if(values.begin(), values.end(), [](float value) { return std::isnan(value); }));
}

TEST(Alike, TheBestWindowsDoNotOverlap)
{
    const std::vector<Window> windows{{0, 0, 1}, {0, 1, 5}, {0, 2, 4}, {0, 3, 4}, {1, 2, 5}, {1, 4, 2}};
    EXPECT_THAT(bestWindows(windows, 2, 9),
                ElementsAre(Window{0, 1, 5}, Window{1, 2, 5}, Window{0, 3, 4}, Window{1, 4, 2}));
    EXPECT_THAT(bestWindows(windows, 2, 1), ElementsAre(Window{0, 1, 5}));
    EXPECT_TRUE(bestWindows({}, 2, 3).empty());
}

/// With all characters as units, the places that agree wholly are those with the same text, each of them.
TEST(Alike, OfOneHotUnitsAreThePlacesOfTheText)
{
    const BuiltRun run(oneHotExperiment());
    const Reading reading(run, "one_hot", "y");
    const std::vector<std::int32_t> tokens = run.data->beginning(Split::Validation, 8192);
    ASSERT_GE(tokens.size(), 4096u);
    const std::vector<std::int32_t> part(reading.text.tokens.begin() + 20, reading.text.tokens.begin() + 22);
    const auto frame = reading.asked(
        run, 20, 22, {{"units", unitsUpTo(run.data->classes())}, {"threshold", 0.5}, {"most", std::int64_t{1000}}});
    const auto data = dataOf<AlikeData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    std::vector<std::int64_t> same;
    const std::int64_t offset = tokens[0] == reading.text.tokens[1] ? 1 : 0; // the reading may begin a step earlier
    for (std::int64_t at = 0; at + 2 <= std::ssize(tokens); ++at)
        if (std::equal(part.begin(), part.end(), tokens.begin() + at) && std::abs(at - (20 - offset)) >= 2)
            same.push_back(at);
    ASSERT_GT(same.size(), 3u);
    std::vector<std::int64_t> found;
    for (const AlikePlace& place : data->places) {
        if (place.score < 1)
            break;
        found.push_back(place.step);
        EXPECT_THAT(place.text, HasSubstr("[" + run.data->decode(part) + "]"));
        EXPECT_EQ(place.sequence, -1);
        if (place.step + offset + 2 <= 96)
            EXPECT_EQ(place.readingStep, place.step + offset);
        else
            EXPECT_FALSE(place.readingStep);
    }
    EXPECT_EQ(found, same);
    const Figure figure = data->figure();
    EXPECT_EQ(figure.tables.at(0).rows.size(), data->places.size());
    EXPECT_EQ(figure.tables.at(0).rows.at(0).units.size(), data->units.size());
    EXPECT_EQ(std::accumulate(data->histogram.begin(), data->histogram.end(), std::int64_t{0}), data->windows);
    EXPECT_THAT(figure.shows, HasSubstr("of the validation split, in 16 streams"));
    EXPECT_THAT(figure.shows, HasSubstr("at steps 21 to 22"));
}

/// The one unit that is on in a span of one character, and off beside it, is that character's.
TEST(Alike, UnitsAreFoundByTheSpan)
{
    const BuiltRun run(oneHotExperiment());
    const Reading reading(run, "one_hot", "y");
    const auto& tokens = reading.text.tokens;
    std::int64_t step = 5;
    while (tokens[static_cast<std::size_t>(step)] == tokens[static_cast<std::size_t>(step - 1)] ||
           tokens[static_cast<std::size_t>(step)] == tokens[static_cast<std::size_t>(step + 1)])
        ++step;
    const auto frame = reading.asked(run, step, step + 1);
    const auto data = dataOf<AlikeData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    EXPECT_TRUE(data->unitsFound && data->byQuantile);
    EXPECT_THAT(data->units, ElementsAre(AlikeUnit{tokens[static_cast<std::size_t>(step)], 0}));
    ASSERT_EQ(data->places.size(), 20u);
    for (const AlikePlace& place : data->places) {
        EXPECT_EQ(place.score, 1);
        EXPECT_THAT(place.text, HasSubstr("[" + run.data->decode({tokens[static_cast<std::size_t>(step)]}) + "]"));
    }
}

/// Streams side by side, from 128 steps before their own, are nearly one pass over the text.
TEST(Alike, StatesAreCarriedAlongTheText)
{
    const BuiltRun run(tinyExperiment());
    const Reading reading(run, "lstm", "h");
    const LensSubject subject{reading.look, run.model.get(), run.data.get(), &reading.text};
    EXPECT_THAT(searchedData(subject, reading.look.signalFrames.at(0), 600)->words, HasSubstr("600 steps"))
        << "as wished";
    const auto searched = searchedData(subject, reading.look.signalFrames.at(0));
    ASSERT_TRUE(searched) << searched.error().text();
    ASSERT_EQ(searched->streams.size(), 1u);
    ProbeText whole;
    whole.tokens = searched->streams[0].tokens;
    whole.characters.assign(whole.tokens.size(), "x");
    const ProbeFrame look = probe(*run.model, whole, {{"lstm", "h"}}, 0);
    const std::vector<float>& values = look.signalFrames.at(0).values;
    ASSERT_EQ(values.size(), searched->streams[0].values.size());
    float apart = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        apart = std::max(apart, std::abs(values[i] - searched->streams[0].values[i]));
    EXPECT_LT(apart, 1e-5f);
}

TEST(Alike, SequencesThatStandForThemselvesAreSearchedOneByOne)
{
    Experiment copy = tinyExperiment();
    copy.graph = makeGraph(
        {makeNode(1, "copy", "copy"), makeNode(2, "one_hot", "one_hot"),
         makeNode(3, "lstm", "lstm", {{"units", std::int64_t{8}}}), makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    const BuiltRun run(copy);
    const Reading reading(run, "one_hot", "y");
    const auto frame = reading.asked(run, 1, 3, {{"units", unitsUpTo(run.data->classes())}, {"threshold", 0.5}});
    const auto data = dataOf<AlikeData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    EXPECT_THAT(data->searched, HasSubstr("sequences that each begin from a zero state"));
    ASSERT_EQ(data->places.size(), 20u);
    const std::vector<std::int32_t> part(reading.text.tokens.begin() + 1, reading.text.tokens.begin() + 3);
    for (const AlikePlace& place : data->places) {
        EXPECT_GE(place.sequence, 0);
        EXPECT_EQ(place.score, 1);
        EXPECT_THAT(place.text, HasSubstr("[" + run.data->decode(part) + "]"));
        EXPECT_FALSE(place.sequence == 0 && std::abs(place.step - 1) < 2) << "the span itself";
    }
}

TEST(Alike, NumbersHavePlacesWithoutText)
{
    Experiment adding = tinyExperiment();
    adding.graph = makeGraph({makeNode(1, "adding", "adding", {{"length", std::int64_t{30}}}),
                              makeNode(2, "gru", "gru", {{"units", std::int64_t{8}}}), makeNode(3, "mse", "mse")},
                             {{{1, "features"}, {2, "x"}},
                              {{1, "mask"}, {2, "mask"}},
                              {{2, "y"}, {3, "x"}},
                              {{1, "targets"}, {3, "targets"}}});
    const BuiltRun run(adding);
    const Reading reading(run, "gru", "h");
    const auto frame = reading.asked(run, 4, 9, {{"units", std::string("0,3")}});
    const auto data = dataOf<AlikeData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    EXPECT_EQ(data->places.size(), 20u);
    for (const AlikePlace& place : data->places)
        EXPECT_EQ(place.text, "");
}

TEST(Alike, WhatIsNoNumberAgreesWithNothingAndIsCounted)
{
    const BuiltRun run(oneHotExperiment());
    Reading reading(run, "one_hot", "y");
    std::vector<float>& values = reading.look.signalFrames.at(0).values;
    std::fill_n(values.begin() + 20 * run.data->classes(), run.data->classes(),
                std::numeric_limits<float>::quiet_NaN());
    const auto data =
        dataOf<AlikeData>(reading.asked(run, 20, 22, {{"units", std::string("1,2")}, {"threshold", 0.5}}));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->missing, 2);
    EXPECT_LE(data->places.at(0).score, 0.5);
    EXPECT_TRUE(std::isnan(data->reading.at(20)));
    EXPECT_EQ(data->figure().missing, 2);
}

TEST(Alike, SayWhyThereIsNothing)
{
    const BuiltRun run(tinyExperiment());
    Reading reading(run, "lstm", "h");
    const auto trouble = [&](std::int64_t from, std::int64_t to, Params settings = {}) {
        return reading.asked(run, from, to, std::move(settings))->trouble;
    };
    EXPECT_THAT(trouble(-1, -1), HasSubstr("drag over some steps"));
    EXPECT_THAT(trouble(5, 5), HasSubstr("are not a span"));
    EXPECT_THAT(trouble(90, 97), HasSubstr("of a reading of 96 steps"));
    EXPECT_THAT(trouble(3, 6, {{"units", std::string("3,x")}}), HasSubstr("\"x\" is none of the 24 units, 0 to 23"));
    EXPECT_THAT(trouble(3, 6, {{"units", std::string("24")}}), HasSubstr("\"24\" is none"));
    EXPECT_THAT(trouble(3, 6, {{"threshold", 2.0}}), HasSubstr("no unit is on throughout the span"));
    EXPECT_THAT(trouble(0, 96), HasSubstr("the span is the whole reading"));
    LensQuery query = reading.query;
    query.settings = {{"from", std::int64_t{1}}, {"to", std::int64_t{3}}};
    EXPECT_THAT(frameOf({reading.look}, query)->trouble, HasSubstr("not available"));
    std::stop_source end;
    end.request_stop();
    EXPECT_THAT(
        frameOf({reading.look, run.model.get(), run.data.get(), &reading.text, end.get_token()}, query)->trouble,
        HasSubstr("cancelled"));
    reading.look.signalFrames.at(0).look = SignalKind::Attention;
    EXPECT_THAT(trouble(1, 3), HasSubstr("choose another signal"));
    reading.look.signalFrames.at(0) = {"lstm", "h", SignalKind::Signed, 0, 0, {}};
    EXPECT_THAT(trouble(1, 3), HasSubstr("has no values"));
}

} // namespace
} // namespace unroll::lenses::alike
