// SPDX-License-Identifier: GPL-3.0-or-later
// One snapshot answers all that a session is asked.
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::HasSubstr;

/// Waits until the frames of the snapshot answer these queries; what they are then.
std::vector<std::shared_ptr<const LensFrame>> answersOf(Session& session, const std::vector<LensQuery>& queries)
{
    const auto answered = [&] {
        const auto frames = session.snapshot()->frames; // a copy: the worker replaces the snapshot meanwhile
        return std::equal(frames.begin(), frames.end(), queries.begin(), queries.end(),
                          [](const auto& frame, const LensQuery& query) { return frame->query == query; });
    };
    EXPECT_TRUE(testing::waitUntil(answered));
    return session.snapshot()->frames;
}

TEST(Asking, OneLookAnswersAllQueries)
{
    const auto session = startSession(testing::tinyExperiment(), allSpecs(), allBuilders(), {});
    ASSERT_TRUE(testing::stepAndWait(*session, 2));
    const std::vector<LensQuery> open{stateQuery({"lstm", "c"}),
                                      {"no-such-lens"},
                                      forecastQuery(),
                                      stateQuery({"lstm", "f"}),
                                      stateQuery({"nobody", "c"})};
    session->ask(open);
    const auto frames = answersOf(*session, open);
    ASSERT_EQ(frames.size(), open.size());
    for (const auto& frame : frames)
        EXPECT_EQ(frame->step, 2);
    ASSERT_NE(stateLook(frames[0]), nullptr);
    EXPECT_EQ(stateLook(frames[0])->signalFrames.at(0).signal, "c");
    EXPECT_THAT(frames[1]->trouble, HasSubstr("no-such-lens"));
    EXPECT_NE(frames[2]->trouble, "") << "a text is no forecast";
    EXPECT_EQ(stateLook(frames[3])->signalFrames.at(0).signal, "f");
    EXPECT_THAT(frames[4]->trouble, HasSubstr("nobody"));
    EXPECT_EQ(session->snapshot()->frameOf(open[3]), frames[3]);
    EXPECT_EQ(session->snapshot()->frameOf(stateQuery({"lstm", "o"})), nullptr);
}

TEST(Asking, WhatIsOpenIsSaidAnew)
{
    const auto session = startSession(testing::tinyExperiment(), allSpecs(), allBuilders(), {});
    const std::vector<LensQuery> both = testing::statesOf({{"lstm", "c"}, {"lstm", "f"}});
    session->ask(both);
    answersOf(*session, both);
    session->ask({both[1]});
    answersOf(*session, {both[1]});
    session->ask({}); // no more snapshots
    ASSERT_TRUE(testing::stepAndWait(*session, 3));
    session->look();
    session->sample("a", 2, {.temperature = 1}, 1);
    ASSERT_TRUE(testing::waitUntil([&] { return !session->snapshot()->samples.empty(); }));
    EXPECT_EQ(session->snapshot()->frames.front()->step, 0);
}

} // namespace
} // namespace unroll
