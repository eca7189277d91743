// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/race_results.h"

#include "core/format/atomic_file.h"
#include "core/runs/race_table.h"
#include "core/runs/run_folder.h"
#include "tests/support/test_folder.h"
#include "tests/support/tiny_experiment.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::HasSubstr;

RaceLane madeLane(const std::string& name, std::int64_t parameters)
{
    return {name, name, "units", 12, 0.01, parameters, 600, 32};
}

Race madeRace()
{
    Race race;
    race.experiment = "tiny";
    race.node = "lstm";
    race.match = "parameters";
    race.target = 100;
    race.steps = 10;
    race.seeds = {1, 2};
    race.lanes = {madeLane("lstm", 100), madeLane("gru", 101)};
    return race;
}

/// A run of that many steps with these last losses.
void makeRaceRun(const std::filesystem::path& folder, std::int64_t steps, double loss, RunState state)
{
    RunEnvironment environment;
    environment.measures = {"nats/token", "character", 100, 600, 0};
    std::filesystem::create_directories(folder.parent_path());
    RunFolder run = RunFolder::create(folder, testing::tinyExperiment(), environment).value();
    for (std::int64_t step = 1; step <= steps; ++step) {
        MetricRow row{step, step * 8, static_cast<double>(step) / 4, {{"train/loss", 2 * loss}}};
        if (step % 5 == 0) {
            row.values["val/loss"] = step == 5 ? loss / 2 : loss;
            row.values["val/acc"] = 0.25;
        }
        run.append(row);
    }
    run.mark(state);
}

TEST(RaceResults, AreMeansOverTheRunsThatAreDone)
{
    const TestFolder folder;
    const std::filesystem::path place = folder.path();
    ASSERT_TRUE(writeRace(madeRace(), place));
    makeRaceRun(place / "runs/lstm-seed-1", 10, 1, RunState::Finished);
    makeRaceRun(place / "runs/lstm-seed-2", 10, 2, RunState::Finished);
    makeRaceRun(place / "runs/gru-seed-1", 7, 0.5, RunState::Stopped);
    ASSERT_TRUE(format::writeFileAtomically(place / "measured.json", R"({"lstm-seed-1": {"memory": 3000000}})"));
    RaceReading reading(place);
    const auto results = reading.read();
    ASSERT_TRUE(results) << results.error().text();
    EXPECT_EQ(results->doneCount(), 2U);
    EXPECT_EQ(results->runCount(), 4U);
    EXPECT_EQ(results->lanes[1].runs[1].state, RunState::Idle);
    const std::vector<RaceRow> rows = raceRows(*results);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].lane, "lstm"); // the other has no loss yet
    EXPECT_DOUBLE_EQ(*rows[0].loss, 1.5);
    EXPECT_DOUBLE_EQ(*rows[0].low, 1.0375); // of two values: see bootstrap_test
    EXPECT_DOUBLE_EQ(*rows[0].high, 1.9625);
    EXPECT_DOUBLE_EQ(*rows[0].bits, 1.5 / std::log(2.0));
    EXPECT_DOUBLE_EQ(*rows[0].best, (0.5 + 1.0) / 2);
    EXPECT_DOUBLE_EQ(*rows[0].accuracy, 0.25);
    EXPECT_DOUBLE_EQ(*rows[0].tokensPerSecond, 80 / 2.5);
    EXPECT_DOUBLE_EQ(*rows[0].memory, 3e6); // of the one that says it
    EXPECT_EQ(rows[0].done, 2U);
    EXPECT_FALSE(rows[1].loss);
    EXPECT_EQ(rows[1].done, 0U);
}

TEST(RaceResults, FollowRunsThatGoOn)
{
    const TestFolder folder;
    const std::filesystem::path place = folder.path();
    ASSERT_TRUE(writeRace(madeRace(), place));
    RaceReading reading(place);
    EXPECT_EQ(reading.read()->doneCount(), 0U);
    makeRaceRun(place / "runs/gru-seed-1", 10, 0.5, RunState::Finished);
    EXPECT_EQ(reading.read()->doneCount(), 1U);
    EXPECT_EQ(reading.read()->lanes[1].runs[0].samples.size(), 10U);
    makeRaceRun(place / "runs/gru-seed-2", 3, NAN, RunState::Failed);
    const auto results = reading.read();
    EXPECT_EQ(results->doneCount(), 2U); // a run that diverged is done
    const RaceRow row = raceRow(results->lanes[1]);
    EXPECT_EQ(row.diverged, 1U);
    EXPECT_DOUBLE_EQ(*row.loss, 0.5);
    EXPECT_FALSE(row.low); // of one run there is no interval
}

TEST(RaceResults, SayWhyThereAreNone)
{
    const TestFolder folder;
    const auto results = RaceReading(folder.path()).read();
    ASSERT_FALSE(results);
    EXPECT_THAT(results.error().text(), HasSubstr("race.json"));
}

RaceRow tableRow()
{
    RaceRow row;
    row.lane = "gru_2";
    row.wish = "gru:bias=false";
    row.width = "units = 33";
    row.parameters = 1000;
    row.flops = 2000.4;
    row.state = 33;
    row.done = 1;
    row.runs = 2;
    row.loss = 1.0 / 3;
    row.memory = 2.6e6;
    return row;
}

TEST(RaceTable, IsWrittenInEveryFormat)
{
    const std::vector<RaceRow> rows{tableRow()};
    EXPECT_EQ(
        raceTable(rows, RaceTableFormat::Csv),
        "lane,width,parameters,FLOPs/token,state,runs,loss,low,high,bits,best,accuracy,tokens/s,memory MB,seconds\n"
        "gru_2,units = 33,1000,2000,33,1/2,0.33333333333333331,,,,,,,3,\n");
    EXPECT_THAT(raceTable(rows, RaceTableFormat::Markdown),
                HasSubstr("| gru_2 | units = 33 | 1000 | 2000 | 33 | 1/2 | 0.333333 | n/a |"));
    const std::string latex = raceTable(rows, RaceTableFormat::Latex);
    EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{llrrrlrrrrrrrrr}\n\\toprule\n"));
    EXPECT_THAT(latex, HasSubstr(R"(gru\_2 & units = 33 & 1000 & 2000 & 33 & 1/2 & 0.3333 & n/a)"));
    EXPECT_THAT(raceTable(rows, RaceTableFormat::Text), HasSubstr("gru_2  units = 33  1000"));
    const auto json = readJson(raceTable(rows, RaceTableFormat::Json), "");
    ASSERT_TRUE(json);
    EXPECT_EQ(json->find("loss")->asReal(), 1.0 / 3);
    EXPECT_TRUE(json->find("low")->isNull());
}

TEST(RaceResults, ALaneThatIsRefusedHasARowAndNoRuns)
{
    const TestFolder folder;
    Race race = madeRace();
    race.lanes[0].refused = "no width does";
    ASSERT_TRUE(writeRace(race, folder.path()));
    const auto results = RaceReading(folder.path()).read();
    ASSERT_TRUE(results) << results.error().text();
    EXPECT_EQ(results->runCount(), 2U);
    const std::vector<RaceRow> rows = raceRows(*results);
    EXPECT_EQ(rows[1].lane, "lstm"); // the last
    EXPECT_EQ(rows[1].runs, 0U);
    EXPECT_THAT(raceTable(rows, RaceTableFormat::Csv),
                HasSubstr("\nlstm,cannot match,,,,0/0,,,,,,,,,,no width does\n"));
    EXPECT_THAT(raceTable(rows, RaceTableFormat::Text), HasSubstr("no width does"));
}

TEST(RaceTable, HasAColumnForRunsThatDiverged)
{
    RaceRow row = tableRow();
    row.diverged = 1;
    EXPECT_THAT(raceTable({row}, RaceTableFormat::Csv), HasSubstr("runs,diverged,loss"));
}

} // namespace
} // namespace unroll
