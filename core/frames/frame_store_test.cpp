// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/frame_store.h"

#include "core/figure/test_sample_figures.h"
#include "core/format/failing_calls.h"
#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace unroll {
namespace {

using ::testing::HasSubstr;

const LensQuery kState{"state", "lstm", "h", {}};
const LensQuery kWeights{"weights", "", "", {}};

/// Of about so many bytes.
KeptFrame frameAt(std::int64_t step, const LensQuery& query = kState, std::size_t bytes = 2000)
{
    FigurePanel panel = panelOf(seriesOf(FigureSeries::Kind::Line, {0, 1}, {0, static_cast<double>(step)}));
    panel.cells = FigureCells{.name = "h", .rows = 1, .columns = static_cast<std::int64_t>(bytes / 2), .values = {}};
    panel.cells->values.assign(bytes / 2, 0.5f);
    return {query, step, "of it", "the start", figureOf(panel)};
}

void keepAt(FrameStore& store, std::int64_t step, const LensQuery& query = kState, std::size_t bytes = 2000)
{
    const auto kept = store.keep(query, frameAt(step, query, bytes));
    EXPECT_TRUE(kept) << kept.error().text();
}

std::vector<std::int64_t> stepsOf(const std::filesystem::path& frames, const LensQuery& query = kState)
{
    std::vector<std::int64_t> steps;
    for (const KeptSeries& series : keptSeries(frames))
        if (series.query == query)
            for (const KeptSeries::Frame& frame : series.frames)
                steps.push_back(frame.step);
    return steps;
}

std::uint64_t bytesBelow(const std::filesystem::path& folder)
{
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        bytes += entry.is_regular_file() ? entry.file_size() : 0;
    return bytes;
}

TEST(FrameStore, WhatIsKeptIsReadAgain)
{
    TestFolder folder(TestFolder::In::Memory);
    FrameStore store(folder / "frames");
    KeptFrame frame = frameAt(7);
    frame.query.settings = {{"step", std::int64_t{3}}, {"scale", std::string("unit")}, {"share", 0.5}, {"on", true}};
    frame.figure = fullFigure();
    ASSERT_TRUE(store.keep(kState, frame));
    const auto all = keptSeries(folder / "frames");
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].query, kState);
    const auto back = readKeptFrame(all[0], 7);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->query, frame.query);
    EXPECT_EQ(back->step, 7);
    EXPECT_EQ(back->reading, "of it");
    EXPECT_EQ(back->of, "the start");
    EXPECT_EQ(back->figure.findings, frame.figure.findings);
    EXPECT_EQ(store.bytes(), bytesBelow(folder / "frames"));
    EXPECT_FALSE(readKeptFrame(all[0], 8));
}

TEST(FrameStore, ThinsEveryQueryAndStaysEvenlySpread)
{
    TestFolder folder(TestFolder::In::Memory);
    FrameStore store(folder / "frames", {.bytes = 1 << 24, .frames = 24});
    for (std::int64_t step = 1; step <= 500; ++step) {
        keepAt(store, step);
        if (step % 100 == 0)
            keepAt(store, step, kWeights);
    }
    const auto steps = stepsOf(folder / "frames");
    EXPECT_EQ(steps.size(), 24u);
    EXPECT_EQ(steps.front(), 1);
    EXPECT_EQ(steps.back(), 500);
    std::int64_t widest = 0;
    for (std::size_t i = 1; i < steps.size(); ++i)
        widest = std::max(widest, steps[i] - steps[i - 1]);
    EXPECT_LE(widest, 2 * 500 / 12) << "at most twice the spacing of an even spread";
    EXPECT_EQ(stepsOf(folder / "frames", kWeights).size(), 5u);
    EXPECT_EQ(store.count(), 29);
    EXPECT_EQ(store.bytes(), bytesBelow(folder / "frames"));
}

/// Of eight, kept at every step: first 0 2 3 4 .., then 0 2 4 5 ..
TEST(FrameStore, EverySecondFrameGoesTheOldestFirst)
{
    TestFolder folder(TestFolder::In::Memory);
    FrameStore store(folder / "frames", {.bytes = 1 << 24, .frames = 8});
    for (std::int64_t step = 0; step < 9; ++step)
        keepAt(store, step);
    EXPECT_EQ(stepsOf(folder / "frames"), (std::vector<std::int64_t>{0, 2, 3, 4, 5, 6, 7, 8}));
    keepAt(store, 9);
    EXPECT_EQ(stepsOf(folder / "frames"), (std::vector<std::int64_t>{0, 2, 4, 5, 6, 7, 8, 9}));
}

TEST(FrameStore, NeverHasMoreBytesThanItMay)
{
    EXPECT_LE(KeptLimits{}.bytes, 256'000'000u) << "what the window and the documentation say";
    TestFolder folder(TestFolder::In::Memory);
    constexpr std::uint64_t most = 200'000;
    FrameStore store(folder / "frames", {.bytes = most, .frames = 1000});
    for (std::int64_t step = 1; step <= 120; ++step) {
        keepAt(store, step, kState, 3000);
        keepAt(store, step, kWeights, 12'000);
        ASSERT_LE(store.bytes(), most);
        ASSERT_LE(bytesBelow(folder / "frames"), most);
    }
    EXPECT_EQ(stepsOf(folder / "frames").back(), 120);
    EXPECT_EQ(stepsOf(folder / "frames").front(), 1);
    EXPECT_GT(stepsOf(folder / "frames").size(), 5u);
    EXPECT_GT(stepsOf(folder / "frames", kWeights).size(), 5u);
}

TEST(FrameStore, ManyQueriesGiveWayToThoseThatWereAskedLast)
{
    TestFolder folder(TestFolder::In::Memory);
    FrameStore store(folder / "frames", {.bytes = 100'000, .frames = 10});
    for (std::int64_t i = 0; i < 60; ++i)
        keepAt(store, i, {"state", "lstm", "h" + std::to_string(i), {}}, 4000);
    EXPECT_LE(bytesBelow(folder / "frames"), 100'000u);
    EXPECT_EQ(stepsOf(folder / "frames", {"state", "lstm", "h59", {}}).size(), 1u);
    EXPECT_TRUE(stepsOf(folder / "frames", {"state", "lstm", "h0", {}}).empty());
}

TEST(FrameStore, AFrameTooLargeIsRefusedAndTheOthersStay)
{
    TestFolder folder(TestFolder::In::Memory);
    FrameStore store(folder / "frames", {.bytes = 100'000, .frames = 10});
    keepAt(store, 1);
    const auto large = store.keep(kWeights, frameAt(1, kWeights, 50'000));
    ASSERT_FALSE(large);
    EXPECT_THAT(large.error().message, HasSubstr("one frame of weights takes"));
    EXPECT_EQ(store.count(), 1);
}

TEST(FrameStore, OneFrameAStepOfAReading)
{
    TestFolder folder(TestFolder::In::Memory);
    FrameStore store(folder / "frames");
    EXPECT_TRUE(store.wants(kState, 5));
    keepAt(store, 5);
    EXPECT_FALSE(store.wants(kState, 5));
    const auto stamp = store.stamp();
    keepAt(store, 5); // the cursor moved
    keepAt(store, 4); // never
    EXPECT_EQ(store.stamp(), stamp);
    KeptFrame other = frameAt(5);
    other.reading = "another";
    ASSERT_TRUE(store.keep(kState, other));
    EXPECT_EQ(store.count(), 1);
    EXPECT_EQ(readKeptFrame(keptSeries(folder / "frames")[0], 5)->reading, "another");
    EXPECT_EQ(store.bytes(), bytesBelow(folder / "frames"));
}

TEST(FrameStore, GoesOnWhereItWasAndTakesAwayWhatIsLater)
{
    TestFolder folder(TestFolder::In::Memory);
    {
        FrameStore store(folder / "frames");
        for (const std::int64_t step : {10, 20, 30})
            keepAt(store, step);
        keepAt(store, 30, kWeights);
    }
    FrameStore store(folder / "frames");
    EXPECT_EQ(store.count(), 4);
    store.cutAfter(20);
    EXPECT_EQ(stepsOf(folder / "frames"), (std::vector<std::int64_t>{10, 20}));
    EXPECT_TRUE(stepsOf(folder / "frames", kWeights).empty());
    keepAt(store, 25);
    EXPECT_EQ(stepsOf(folder / "frames"), (std::vector<std::int64_t>{10, 20, 25}));
    std::filesystem::rename(folder / "frames", folder / "moved");
    store.moved(folder / "moved");
    keepAt(store, 26);
    EXPECT_EQ(stepsOf(folder / "moved").back(), 26);
    EXPECT_EQ(store.bytes(), bytesBelow(folder / "moved"));
}

TEST(FrameStore, WhatIsNoFrameIsPassedOver)
{
    TestFolder folder(TestFolder::In::Memory);
    EXPECT_TRUE(keptSeries(folder / "none").empty());
    ASSERT_TRUE(FrameStore(folder / "frames").keep(kState, frameAt(3)));
    const auto series = keptSeries(folder / "frames").at(0).folder;
    writeContent(series / "notes.txt", "mine");
    writeContent(series / "12.safetensors", "not our name");
    writeContent(folder / "frames" / "file", "mine");
    std::filesystem::create_directory(folder / "frames" / "empty");
    std::filesystem::create_directory(folder / "frames" / "other");
    std::filesystem::copy_file(series / frameName(3), folder / "frames" / "other" / frameName(3));
    EXPECT_EQ(keptSeries(folder / "frames").size(), 1u) << "a folder that is not of its frames' query";
    EXPECT_EQ(stepsOf(folder / "frames"), std::vector<std::int64_t>{3});
    writeContent(series / frameName(4), "damaged");
    const auto all = keptSeries(folder / "frames");
    EXPECT_EQ(all.at(0).frames.size(), 2u);
    EXPECT_FALSE(readKeptFrame(all[0], 4));
    EXPECT_TRUE(readKeptFrame(all[0], 3));
}

/// Whichever call of the disk fails, what was kept is whole, and the store goes on when it can again.
TEST(FrameStore, SurvivesEveryCallThatFails)
{
    for (const auto mode : {format::FailingCalls::Mode::Once, format::FailingCalls::Mode::FromThere,
                            format::FailingCalls::Mode::ShortWrite})
        for (int n = 1;; ++n) {
            TestFolder folder(TestFolder::In::Memory);
            {
                FrameStore store(folder / "frames");
                keepAt(store, 1);
                keepAt(store, 2);
            }
            format::FailingCalls calls(n, mode, ENOSPC);
            {
                FrameStore store(folder / "frames", {.bytes = 1 << 24, .frames = 2}, calls);
                for (const std::int64_t step : {3, 4}) {
                    const auto kept = store.keep(kState, frameAt(step));
                    EXPECT_TRUE(kept || !kept.error().message.empty());
                }
            }
            for (const KeptSeries& series : keptSeries(folder / "frames"))
                for (const KeptSeries::Frame& frame : series.frames)
                    ASSERT_TRUE(readKeptFrame(series, frame.step)) << n;
            FrameStore store(folder / "frames");
            keepAt(store, 9);
            EXPECT_EQ(stepsOf(folder / "frames").back(), 9);
            if (!calls.reached())
                break;
        }
}

TEST(KeptSeries, AQueryIsKeptWithoutTheCursorAndDefaults)
{
    LensSpec spec;
    const auto setting = [](const char* name, ParamType type, ParamValue value) {
        return ParamSpec{.name = name,
                         .type = type,
                         .defaultValue = std::move(value),
                         .help = {},
                         .minimum = {},
                         .maximum = {},
                         .choices = {},
                         .suffixes = {},
                         .unit = {},
                         .group = {}};
    };
    spec.settings = {setting("order", ParamType::Text, std::string("index")),
                     setting("step", ParamType::Int, std::int64_t{-1}), setting("share", ParamType::Real, 1.0)};
    const LensQuery asked{
        "x", "n", "s", {{"order", std::string("index")}, {"step", std::int64_t{4}}, {"share", std::int64_t{1}}}};
    EXPECT_EQ(keptQuery(asked, spec), (LensQuery{"x", "n", "s", {}}));
    LensQuery other = asked;
    other.settings["order"] = std::string("mean");
    EXPECT_EQ(keptQuery(other, spec), (LensQuery{"x", "n", "s", {{"order", std::string("mean")}}}));
    EXPECT_EQ(queryOfText(queryText(other)).value(), other);
    EXPECT_NE(seriesName(asked), seriesName(other));
    for (const char* words : {"", "[]", "{}", R"({"lens":"a","node":1,"signal":"","settings":{}})",
                              R"({"lens":"a","node":"","signal":"","settings":{"a":[]}})"})
        EXPECT_FALSE(queryOfText(words)) << words;
}

TEST(KeptSeries, NamesAndNeighbours)
{
    EXPECT_EQ(frameName(1200), "000000001200.safetensors");
    EXPECT_EQ(stepOfFrame(frameName(1200)), 1200);
    EXPECT_EQ(stepOfFrame(frameName(9'999'999'999'999)), 9'999'999'999'999);
    for (const char* name : {"", "12.safetensors", "000000001200.safetensor", "-00000001200.safetensors", "x"})
        EXPECT_FALSE(stepOfFrame(name)) << name;
    const std::vector<KeptSeries::Frame> frames{{10, 1}, {20, 1}, {40, 1}};
    EXPECT_EQ(nearestFrame(frames, 0), 0u);
    EXPECT_EQ(nearestFrame(frames, 15), 0u) << "of two the earlier";
    EXPECT_EQ(nearestFrame(frames, 31), 2u);
    EXPECT_EQ(nearestFrame(frames, 99), 2u);
    EXPECT_EQ(nearestFrame({}, 9), 0u);
    EXPECT_EQ(crowdedFrame(frames), 1u);
    EXPECT_FALSE(crowdedFrame({{10, 1}, {20, 1}}));
}

} // namespace
} // namespace unroll
