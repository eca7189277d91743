// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_report.h"
#include "tests/support/tiny_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

class RunReportTest : public ::testing::Test {
protected:
    RunReportTest()
    {
        m_experiment.training.logEvery = 2;
        m_experiment.training.steps = 9;
    }

    void addRow(std::int64_t step)
    {
        StepReport report;
        report.step = step;
        report.tokens = 64 * step;
        m_report.addRow(report, 1.5, 0.5);
    }

    std::vector<std::int64_t> sentSteps()
    {
        std::vector<std::int64_t> steps;
        for (const MetricRow& row : m_metrics.take())
            steps.push_back(row.step);
        return steps;
    }

    Experiment m_experiment = testing::tinyExperiment();
    MetricQueue m_metrics;
    SnapshotBox m_box;
    RunReport m_report{m_experiment, m_metrics, m_box};
};

TEST_F(RunReportTest, RowsAreSentByLogEveryAndTheLastInAnyCase)
{
    for (std::int64_t step = 1; step <= 9; ++step)
        addRow(step);
    m_report.sendRow();
    m_report.sendRow(); // it has gone
    EXPECT_THAT(sentSteps(), ::testing::ElementsAre(2, 4, 6, 8, 9));
}

TEST_F(RunReportTest, ARowThatWasEvaluatedIsSentWhateverLogEverySays)
{
    addRow(3);
    ASSERT_NE(m_report.rowToKeep(), nullptr);
    m_report.rowToKeep()->values["val/loss"] = 1.25;
    addRow(5);
    const auto rows = m_metrics.take();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows.front().step, 3);
    EXPECT_EQ(rows.front().values.at("val/loss"), 1.25);
    EXPECT_EQ(rows.front().values.at("train/loss"), 1.5);
}

TEST_F(RunReportTest, NoRowIsOpenOnceItIsSent)
{
    EXPECT_EQ(m_report.rowToKeep(), nullptr);
    m_report.setRow(MetricRow{7, 448, 2.0, {}});
    m_report.sendRow();
    EXPECT_THAT(sentSteps(), ::testing::ElementsAre(7));
    EXPECT_EQ(m_report.rowToKeep(), nullptr);
    EXPECT_FALSE(m_report.row());
}

TEST_F(RunReportTest, AStateIsSeenAtOnceFiguresAreNot)
{
    m_report.setState(RunState::Running);
    EXPECT_EQ(m_box.newest()->state, RunState::Running);
    m_report.view().step = 12;
    m_report.publish(false); // the snapshot before is too new
    EXPECT_EQ(m_box.newest()->step, 0);
    m_report.publish(true);
    EXPECT_EQ(m_box.newest()->step, 12);
}

TEST_F(RunReportTest, AProblemIsPutAtItsNodeAndSaidInTheLog)
{
    m_report.problem("limit-passed", "lstm", "it is too large", {}, Severity::Warning);
    m_report.publish(true);
    const auto seen = m_box.newest();
    ASSERT_EQ(seen->problems.size(), 1u);
    EXPECT_EQ(seen->problems.front().node, m_experiment.graph.findByName("lstm")->id);
    EXPECT_EQ(seen->problems.front().severity, Severity::Warning);
    EXPECT_THAT(seen->log, ::testing::ElementsAre("it is too large"));
}

TEST_F(RunReportTest, TheSameTroubleOfAFileIsToldOnce)
{
    m_report.tellOnce({"the disk is full", "/runs/one/metrics.csv"});
    m_report.tellOnce({"the disk is full", "/runs/two/metrics.csv"});
    m_report.tellOnce({"the disk is full", "/runs/one/log.txt"});
    EXPECT_EQ(m_report.view().problems.size(), 2u);
}

} // namespace
} // namespace unroll
