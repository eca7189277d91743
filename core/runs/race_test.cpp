// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/race.h"

#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

Race someRace()
{
    Race race;
    race.experiment = "char-lstm";
    race.node = "body.lstm";
    race.match = "flops";
    race.target = 1234.5;
    race.steps = 40;
    race.seconds = 1.5;
    race.threads = 2;
    race.tokens = 64;
    race.seeds = {1, 18446744073709551615U};
    race.lanes = {{"gru", "gru", "units", 33, 0.01, 1000, 2000.5, 33},
                  {"gru-2", "gru:bias=false", "", 0, 0, 900, 1800, 32}};
    return race;
}

TEST(Race, IsReadAsItWasWritten)
{
    const Race race = someRace();
    const auto read = raceFromJson(raceToJson(race), "race.json");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, race);
    EXPECT_EQ(race.lanes[1].run(race.seeds[1]), "runs/gru-2-seed-18446744073709551615");
}

TEST(Race, KeepsLanesThatAreRefused)
{
    Race race = someRace();
    race.tolerance = 0.05;
    race.lanes[1].refused = "no width does";
    const Json json = raceToJson(race);
    const auto read = raceFromJson(json, "race.json");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, race);
    EXPECT_EQ(read->refusedCount(), 1U);
    EXPECT_EQ(race.lanes[1].width(), "cannot match");
    const Json& lane = json.find("lanes")->asArray()->at(1);
    EXPECT_EQ(lane.find("file"), nullptr);
    EXPECT_TRUE(lane.find("runs")->asArray()->empty());
}

TEST(Race, WarnsOfLanesThatDifferInWhatIsNotMatched)
{
    Race race = someRace();
    EXPECT_TRUE(raceWarnings(race).empty());
    race.lanes[1].state = 33 * 4 + 1;
    EXPECT_THAT(raceWarnings(race),
                ::testing::ElementsAre("state values differ: 33 in gru, 133 in gru-2, 4.0 times as many"));
    race.lanes[0].state = 0;
    EXPECT_THAT(raceWarnings(race), ::testing::ElementsAre("state values differ: 0 in gru, 133 in gru-2"));
    race.lanes[1].refused = "no width does"; // takes no part
    EXPECT_TRUE(raceWarnings(race).empty());
}

TEST(Race, SaysWhatIsWrongWithAFile)
{
    for (const auto& [text, said] :
         {std::pair(R"({"race": 2})", "version 2"), std::pair("{}", "race must be a whole number"),
          std::pair(R"({"race": 1, "experiment": 3})", "experiment must be a text")}) {
        const auto json = readJson(text, "race.json");
        ASSERT_TRUE(json);
        const auto read = raceFromJson(*json, "race.json");
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(read.error().text(), ::testing::HasSubstr(said));
    }
}

TEST(Race, FindsLanesByTheirWishAndNamesNewOnes)
{
    Race race = someRace();
    EXPECT_EQ(race.lane("gru:bias=false", 0)->name, "gru-2");
    EXPECT_EQ(race.lane("gru", 1), nullptr);
    EXPECT_EQ(freeLaneName(race, "gru"), "gru-3");
    EXPECT_EQ(freeLaneName(race, "lstm"), "lstm");
}

} // namespace
} // namespace unroll
