// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/remote_session.h"

#include "core/remote/test_engines.h"
#include "core/remote/wire_snapshot.h"
#include "core/runs/run_summary.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::EngineThreads;
using testing::statesOf;
using testing::tinyExperiment;
using testing::untimed;
using testing::waitUntil;

bool isLost(const Snapshot& snapshot)
{
    return std::any_of(snapshot.problems.begin(), snapshot.problems.end(),
                       [](const Diagnostic& problem) { return problem.code == "link-lost"; });
}

/// A peer that answers whatever it is told with these bytes.
RemotePlace placeThatSays(const std::string& bytes)
{
    RemotePlace place;
    place.name = "box";
    place.retrySeconds = 0.01;
    place.connect = [bytes]() -> Result<RemotePipe> {
        auto ends = channelPair();
        ends->second->sendBytes(bytes);
        ends->second->exchange();
        return RemotePipe{nullptr, std::move(ends->first)}; // the other end closes here
    };
    return place;
}

std::shared_ptr<const Snapshot> endOf(RemotePlace place)
{
    const auto session = startRemoteSession(tinyExperiment(), testing::registry(), {}, std::move(place));
    session->run();
    EXPECT_TRUE(session->finish(240));
    return session->snapshot();
}

TEST(RemoteSession, TrainsToTheNumbersOfALocalOne)
{
    const testing::EndedRun local(tinyExperiment(), {}, {{"lstm", "c"}});
    EngineThreads engines;
    const auto session = startRemoteSession(tinyExperiment(), testing::registry(), {}, engines.place());
    auto open = statesOf({{"lstm", "c"}});
    open.push_back(forecastQuery());
    session->ask(open);
    session->run();
    ASSERT_TRUE(session->finish(240));
    const auto last = session->snapshot();
    EXPECT_EQ(last->state, RunState::Finished) << last->failure;
    EXPECT_EQ(untimed(session->takeMetrics()), untimed(local.rows));
    EXPECT_EQ(last->step, local.last.step);
    EXPECT_EQ(last->bestValidationLoss, local.last.bestValidationLoss);
    EXPECT_EQ(last->measures, local.last.measures);
    EXPECT_EQ(last->entropyFloor, local.last.entropyFloor);
    EXPECT_EQ(last->device, local.last.device);
    ASSERT_TRUE(waitUntil([&] {
        const auto look = testing::lookIn(*session->snapshot());
        return look && look->step == 30;
    }));
    const auto look = testing::lookIn(*session->snapshot()), same = testing::lookIn(local.last);
    ASSERT_TRUE(same);
    if (same->step == look->step) {
        EXPECT_EQ(look->signalFrames.front().values, same->signalFrames.front().values);
        EXPECT_EQ(look->characters, same->characters);
    }
    EXPECT_EQ(session->experiment()->graph, tinyExperiment().graph);
}

TEST(RemoteSession, FollowsCommandsAndGoesOn)
{
    EngineThreads engines;
    const auto session = startRemoteSession(tinyExperiment(), testing::registry(), {}, engines.place());
    ASSERT_TRUE(testing::stepAndWait(*session, 3));
    EXPECT_EQ(session->snapshot()->state, RunState::Paused);
    session->setLearningRate(1e-3);
    session->sample("the", 5, {}, 1);
    session->keepWeights();
    ASSERT_TRUE(waitUntil([&] { return session->snapshot()->keptWeights && !session->snapshot()->samples.empty(); }));
    EXPECT_FALSE(session->snapshot()->keptWeights->tensors.empty());
    session->run();
    ASSERT_TRUE(session->finish(240));
    ASSERT_TRUE(waitUntil([&] { return session->snapshot()->canGoOn; }));
    session->step(2);
    ASSERT_TRUE(waitUntil([&] { return session->snapshot()->step == 32; }));
}

/// Rows of a run that was stopped, from the first to that of its last step.
void expectAllRows(Session& session)
{
    const auto rows = session.takeMetrics();
    EXPECT_EQ(static_cast<std::int64_t>(rows.size()), session.snapshot()->step);
    for (std::size_t i = 0; i < rows.size(); ++i)
        ASSERT_EQ(rows[i].step, static_cast<std::int64_t>(i) + 1);
}

/// Longer than any test waits, with new rows at every turn of the engine.
Experiment longExperiment()
{
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 100'000;
    experiment.training.evaluateEvery = 0;
    return experiment;
}

TEST(RemoteSession, ALostConnectionIsSaidAndNoRowIsMissing)
{
    TestFolder folder;
    EngineThreads engines;
    const std::string run = folder / "run";
    const auto session =
        startRemoteSession(longExperiment(), testing::registry(), {.runFolder = run}, engines.place(run));
    session->run();
    ASSERT_TRUE(waitUntil([&] { return session->snapshot()->step > 20; }));
    engines.refuse(true);
    engines.cut();
    ASSERT_TRUE(waitUntil([&] { return isLost(*session->snapshot()); }));
    const std::int64_t before = session->snapshot()->step;
    engines.refuse(false);
    ASSERT_TRUE(waitUntil([&] { return !isLost(*session->snapshot()) && session->snapshot()->step > before; }));
    EXPECT_GE(engines.met(), 1);
    session->stop();
    ASSERT_TRUE(session->finish(240));
    EXPECT_EQ(session->snapshot()->state, RunState::Stopped) << session->snapshot()->failure;
    expectAllRows(*session);
}

TEST(RemoteSession, OneCanAttachLaterAndHasAllRows)
{
    TestFolder folder;
    EngineThreads engines;
    const std::string run = folder / "run";
    const Experiment experiment = longExperiment();
    RemotePlace place = engines.place(run);
    place.leavesRunning = true;
    auto first = startRemoteSession(experiment, testing::registry(), {.runFolder = run}, place);
    first->run();
    ASSERT_TRUE(waitUntil([&] { return first->snapshot()->step > 5; }));
    const std::int64_t seen = first->snapshot()->step;
    first.reset();
    const auto later = attachRemoteSession(run, engines.place(run));
    ASSERT_TRUE(waitUntil([&] { return later->snapshot()->step > seen; }));
    later->stop();
    ASSERT_TRUE(later->finish(240));
    EXPECT_EQ(later->snapshot()->state, RunState::Stopped) << later->snapshot()->failure;
    expectAllRows(*later);
    EXPECT_EQ(later->experiment()->graph, experiment.graph);
    EXPECT_EQ(later->farFolder(), run);
}

TEST(RemoteSession, TheNewestViewerTakesTheRunOver)
{
    TestFolder folder;
    EngineThreads engines;
    const std::string run = folder / "run";
    const auto first =
        startRemoteSession(tinyExperiment(), testing::registry(), {.runFolder = run}, engines.place(run));
    ASSERT_TRUE(testing::stepAndWait(*first, 2));
    const auto second = attachRemoteSession(run, engines.place(run));
    ASSERT_TRUE(waitUntil([&] { return second->snapshot()->step == 2; }));
    ASSERT_TRUE(waitUntil([&] { return !first->snapshot()->problems.empty(); }));
    EXPECT_EQ(first->snapshot()->problems.front().code, kViewerReplaced);
    EXPECT_NE(first->snapshot()->problems.front().sentence.find("which goes on"), std::string::npos);
    second->run();
    EXPECT_TRUE(second->finish(240));
}

TEST(RemoteSession, CommandsFromOutsideLeaveTheViewerAttached)
{
    TestFolder folder;
    EngineThreads engines;
    const std::string run = folder / "run";
    const auto viewer =
        startRemoteSession(longExperiment(), testing::registry(), {.runFolder = run}, engines.place(run));
    viewer->run();
    ASSERT_TRUE(waitUntil([&] { return viewer->snapshot()->step > 5; }));
    const auto paused = commandRemoteRun(engines.place(run), run, "pause");
    ASSERT_TRUE(paused) << paused.error().text();
    EXPECT_EQ(paused->state, RunState::Paused);
    const auto saved = commandRemoteRun(engines.place(run), run, "checkpoint");
    ASSERT_TRUE(saved) << saved.error().text();
    EXPECT_EQ(saved->checkpointed, paused->step);
    EXPECT_EQ(commandRemoteRun(engines.place(run), run, "run")->state, RunState::Running);
    ASSERT_TRUE(waitUntil([&] { return viewer->snapshot()->step > paused->step; }));
    const auto unknown = commandRemoteRun(engines.place(run), run, "jump");
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().text().find("\"jump\" is no command"), std::string::npos) << unknown.error().text();
    EXPECT_EQ(commandRemoteRun(engines.place(run), run, "stop")->state, RunState::Stopped);
    ASSERT_TRUE(viewer->finish(240));
    EXPECT_EQ(viewer->snapshot()->state, RunState::Stopped);
    expectAllRows(*viewer);
}

TEST(RemoteSession, ClosingSavesARunThatIsNotLeft)
{
    TestFolder folder;
    EngineThreads engines;
    const std::string run = folder / "run";
    {
        const auto session =
            startRemoteSession(tinyExperiment(), testing::registry(), {.runFolder = run}, engines.place(run));
        ASSERT_TRUE(testing::stepAndWait(*session, 4));
    }
    const RunSummary summary = readRunSummary(run);
    EXPECT_EQ(summary.state, RunState::Stopped);
    EXPECT_EQ(summary.checkpoint, 4);
}

TEST(RemoteSession, AnotherVersionEndsItWithASentence)
{
    Message hello{Json(JsonObject{})};
    hello.head.add("kind", "hello");
    const auto last = endOf(placeThatSays(*messageBytes(hello, 7)));
    EXPECT_EQ(last->state, RunState::Failed);
    EXPECT_NE(last->failure.find("version 7 of the protocol and this one version 1"), std::string::npos)
        << last->failure;
}

TEST(RemoteSession, WordsOfALoginAreQuoted)
{
    const auto last = endOf(placeThatSays("Welcome to box!\n"));
    EXPECT_EQ(last->state, RunState::Failed);
    EXPECT_NE(last->failure.find("Welcome to box!"), std::string::npos) << last->failure;
}

TEST(RemoteSession, AMessageThatClaimsTooMuchIsRefused)
{
    Message hello{Json(JsonObject{})};
    std::string bytes = messageBytes(hello)->substr(0, 12) + std::string(8, '\x7f');
    EXPECT_NE(endOf(placeThatSays(bytes))->failure.find("at most"), std::string::npos);
}

TEST(RemoteSession, ACommandThatCannotBeStartedOrEndsIsNamed)
{
    const auto missing = endOf(placeOfLine("/nowhere/unroll-cli session --stdio"));
    EXPECT_EQ(missing->state, RunState::Failed);
    EXPECT_NE(missing->failure.find("exit code 127"), std::string::npos) << missing->failure;
    const auto dies = endOf(placeOfLine("echo no such host >&2; exit 3 # session"));
    EXPECT_NE(dies->failure.find("exit code 3"), std::string::npos) << dies->failure;
    EXPECT_NE(dies->failure.find("no such host"), std::string::npos) << dies->failure;
}

TEST(RemoteSession, ALineIsCompletedToACommand)
{
    EXPECT_EQ(hostCommand("user@box"), "ssh -T -o ServerAliveInterval=10 user@box unroll-cli session --stdio");
    EXPECT_EQ(hostCommand("ssh -p 22 user@box"), "ssh -p 22 user@box unroll-cli session --stdio");
    EXPECT_EQ(hostCommand("ssh box /opt/unroll-cli session --stdio"), "ssh box /opt/unroll-cli session --stdio");
    EXPECT_EQ(hostCommand("/opt/on-the-box"), "/opt/on-the-box");
    EXPECT_EQ(placeOfLine("ssh -p 22 user@box").name, "user@box");
    EXPECT_NE(placeOfLine("false").advice.find("sh -c 'false'"), std::string::npos);
    EXPECT_EQ(placeOfLine("user@box").advice + placeOfLine("/bin/false").advice, "");
}

} // namespace
} // namespace unroll
