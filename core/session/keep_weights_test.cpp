// SPDX-License-Identifier: GPL-3.0-or-later
// A run that begins with what another one has learned.
#include "core/session/session.h"

#include "core/runs/run_folder.h"
#include "core/train/trained_run.h"
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using testing::EndedRun;
using ::testing::IsEmpty;
using testing::losses;
using testing::stepAndWait;
using testing::tinyExperiment;
using testing::waitUntil;

/// A rate that does not rise from nothing and no closing evaluation, so that losses can be compared.
Experiment steadyExperiment(std::int64_t units = 24)
{
    Experiment experiment = tinyExperiment("lstm", units);
    experiment.training.steps = 200;
    experiment.training.warmup = 0;
    experiment.training.evaluateEvery = 0;
    return experiment;
}

std::shared_ptr<const KeptWeights> askForWeights(Session& session)
{
    session.keepWeights();
    EXPECT_TRUE(waitUntil([&] {
        const auto snapshot = session.snapshot();
        return snapshot->keptWeights != nullptr || !snapshot->notKept.empty();
    }));
    return session.snapshot()->keptWeights;
}

TEST(KeepWeights, TheNextRunBeginsWhereTheLastOneWas)
{
    TestFolder folder;
    std::shared_ptr<const KeptWeights> kept;
    double first = 0, last = 0;
    {
        const auto session = startSession(steadyExperiment(), allSpecs(), allBuilders(), {.runFolder = folder / "run"});
        ASSERT_TRUE(stepAndWait(*session, 100));
        session->stop();
        kept = askForWeights(*session);
        ASSERT_NE(kept, nullptr) << session->snapshot()->notKept;
        EXPECT_EQ(session->snapshot()->state, RunState::Stopped);
        const auto all = losses(session->takeMetrics());
        first = all.front();
        last = all.back();
    }
    EXPECT_EQ(kept->origin, (folder / "run").string() + ", step 100");
    Experiment brief = steadyExperiment();
    brief.training.steps = 1;
    const EndedRun next(brief, {.keptWeights = kept});
    ASSERT_EQ(next.last.state, RunState::Finished) << next.last.failure;
    EXPECT_NEAR(losses(next.rows).front(), last, (first - last) / 3);
    EXPECT_EQ(next.last.initialWeights->loaded.size(), next.last.initialWeights->inModel());
    // The run before is whole, and goes on from where it was.
    const EndedRun resumed(steadyExperiment(), {.runFolder = folder / "run", .resume = true});
    EXPECT_EQ(resumed.last.state, RunState::Finished) << resumed.last.failure;
    EXPECT_EQ(resumed.rows.front().step, 101);
}

TEST(KeepWeights, WhatDoesNotFitIsReportedWithItsShapes)
{
    const auto session = startSession(steadyExperiment(), allSpecs(), allBuilders(), {});
    ASSERT_TRUE(stepAndWait(*session, 2));
    const auto kept = askForWeights(*session);
    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(session->snapshot()->state, RunState::Paused) << "asking changes nothing";
    Experiment wider = steadyExperiment(32);
    wider.graph = edits::renameNode(4, "out").apply(wider.graph).value();
    wider.training.steps = 1;
    const EndedRun next(wider, {.keptWeights = kept});
    const auto report = next.last.initialWeights;
    ASSERT_NE(report, nullptr);
    EXPECT_THAT(report->loaded, ElementsAre("embedding.weight"));
    ASSERT_FALSE(report->mismatched.empty());
    EXPECT_EQ(report->mismatched.front().name, "lstm.weight_ih_l0");
    EXPECT_THAT(report->mismatched.front().found, ElementsAre(4 * 24, 12));
    EXPECT_THAT(report->mismatched.front().wanted, ElementsAre(4 * 32, 12));
    EXPECT_THAT(report->missing, ::testing::Contains("out.weight"));
    EXPECT_THAT(report->unexpected, ::testing::Contains("head.weight"));
    EXPECT_TRUE(next.told("initial weights from the previous run, step 2: 1 loaded"));
}

TEST(KeepWeights, WhereNothingFitsAllBeginsAfreshAndIsSaid)
{
    const EndedRun run(steadyExperiment(), {.keptWeights = std::make_shared<KeptWeights>()});
    EXPECT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    EXPECT_THAT(run.last.initialWeights->loaded, IsEmpty());
    EXPECT_EQ(run.last.initialWeights->missing.size(), run.last.initialWeights->inModel());
}

TEST(KeepWeights, ARunWithoutAModelSaysThatThereAreNone)
{
    const auto session = startSession(tinyExperiment("lstm", 0), allSpecs(), allBuilders(), {});
    ASSERT_TRUE(session->finish(240));
    EXPECT_EQ(askForWeights(*session), nullptr);
    EXPECT_EQ(session->snapshot()->notKept, "there are no weights yet");
}

} // namespace
} // namespace unroll
