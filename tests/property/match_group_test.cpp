// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/match_group.h"

#include "core/experiment/adjust.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/gallery.h"
#include "core/graph/edit.h"
#include "core/model/builders.h"
#include "core/runs/race_plan.h"
#include "tests/support/test_folder.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::HasSubstr;

/// char-lstm with its two cells as the group "body".
class MatchGroup : public ::testing::Test {
protected:
    void SetUp() override
    {
        const auto path = findExperiment("char-lstm");
        ASSERT_TRUE(path);
        m_experiment = *loadExperiment(path->string());
        group({"lstm_1", "lstm_2"}, "body");
        m_checked = m_check(m_experiment);
        ASSERT_TRUE(m_checked.runnable()) << firstFault(m_checked);
    }

    void group(const std::vector<std::string>& names, const std::string& name)
    {
        std::set<NodeId> ids;
        for (const std::string& each : names)
            ids.insert(m_experiment.graph.findByName(each)->id);
        m_experiment.graph = *edits::makeGroup(ids, name).apply(m_experiment.graph);
    }

    Result<MatchedWidth> match(const std::string& wish, const std::string& by = "parameters",
                               const std::string& node = "body")
    {
        return wishedLane(m_experiment, m_registry, m_check, node, wish, by, *raceTarget(by, m_experiment, m_checked));
    }
    std::int64_t unitsOf(const Experiment& experiment, const std::string& node)
    {
        const Node* found = findNodeAt(experiment.graph, node);
        return std::get<std::int64_t>(m_registry.find(found->block)->withDefaults(found->params).at("units"));
    }
    std::string blockOf(const Experiment& experiment, const std::string& node)
    {
        return findNodeAt(experiment.graph, node)->block;
    }

    BlockRegistry m_registry = allSpecs();
    DataCache m_data{allBuilders()};
    CheckLane m_check = [this](const Experiment& experiment) {
        return checkExperiment(experiment, m_registry, m_data);
    };
    Experiment m_experiment;
    CheckedGraph m_checked;
};

TEST_F(MatchGroup, AsItIsStaysAsItIs)
{
    const auto matched = match("group");
    ASSERT_TRUE(matched) << matched.error().text();
    EXPECT_EQ(matched->param, "");
    EXPECT_EQ(matched->error, 0);
    EXPECT_EQ(matched->experiment.graph, m_experiment.graph);
}

TEST_F(MatchGroup, AllWidthsInsideFollowOneNumber)
{
    for (const char* by : {"parameters", "flops"})
        for (const char* id : {"gru", "sru", "mingru", "rnn", "ind_rnn"}) {
            const auto matched = match(fmt::format("group:lstm_1={0}:lstm_2={0}", id), by);
            ASSERT_TRUE(matched) << id << ": " << matched.error().text();
            EXPECT_EQ(blockOf(matched->experiment, "body.lstm_1"), id);
            EXPECT_TRUE(matched->checked.runnable());
            EXPECT_LE(matched->error, kMatchTolerance) << id << " by " << by;
            EXPECT_EQ(unitsOf(matched->experiment, "body.lstm_1"), unitsOf(matched->experiment, "body.lstm_2")) << id;
            EXPECT_EQ(unitsOf(matched->experiment, "body.lstm_1"), matched->value) << id;
        }
}

TEST_F(MatchGroup, OneNodeInsideIsVariedAndTheWholeGroupGrows)
{
    const auto matched = match("group:lstm_2=gru");
    ASSERT_TRUE(matched) << matched.error().text();
    EXPECT_EQ(blockOf(matched->experiment, "body.lstm_1"), "lstm");
    EXPECT_EQ(blockOf(matched->experiment, "body.lstm_2"), "gru");
    EXPECT_LE(matched->error, kMatchTolerance);
    EXPECT_EQ(unitsOf(matched->experiment, "body.lstm_1"), unitsOf(matched->experiment, "body.lstm_2"));
    EXPECT_GT(unitsOf(matched->experiment, "body.lstm_1"), unitsOf(m_experiment, "body.lstm_1"));
}

TEST_F(MatchGroup, SettingsStayAndWhatIsNamedIsSolved)
{
    const auto set = match("group:lstm_1.units=40");
    ASSERT_TRUE(set) << set.error().text();
    EXPECT_EQ(unitsOf(set->experiment, "body.lstm_1"), 40);
    EXPECT_EQ(set->param, "lstm_2.units");
    const auto named = match("group:lstm_2=gru:lstm_2.units");
    ASSERT_TRUE(named) << named.error().text();
    EXPECT_EQ(named->param, "lstm_2.units");
    EXPECT_EQ(unitsOf(named->experiment, "body.lstm_1"), unitsOf(m_experiment, "body.lstm_1"));
    const auto free = match("group:repeat=1:lstm_1.units=40", "none");
    ASSERT_TRUE(free) << free.error().text();
    EXPECT_EQ(unitsOf(free->experiment, "body.lstm_2"), unitsOf(m_experiment, "body.lstm_2"));
}

TEST_F(MatchGroup, ABlockStandsInTheWholeGroupsPlace)
{
    const auto matched = match("gru:num_layers=2");
    ASSERT_TRUE(matched) << matched.error().text();
    const Node* body = findNodeAt(matched->experiment.graph, "body");
    EXPECT_EQ(body->block, "gru");
    EXPECT_EQ(body->group, nullptr);
    EXPECT_EQ(matched->param, "units");
    EXPECT_LE(matched->error, kMatchTolerance);
}

TEST_F(MatchGroup, AnotherGroupOfTheExperimentStandsThere)
{
    m_experiment = *withGroupWish(m_experiment, m_registry, "body", *blockWish("group:lstm_1=gru"));
    group({"body"}, "outer");
    const auto copied = match("@outer.body", "none", "outer");
    ASSERT_TRUE(copied) << copied.error().text();
    EXPECT_EQ(blockOf(copied->experiment, "outer.lstm_1"), "gru");
    EXPECT_EQ(laneWord("outer", *blockWish("@outer.body")), "outer-body");
    const auto inside = match("@outer", "none", "outer.body");
    ASSERT_FALSE(inside);
    EXPECT_THAT(inside.error().text(), HasSubstr("is inside outer"));
}

/// The residual way holds the width: a group that is as large within the tolerance stays as it is.
TEST_F(MatchGroup, WhereNoWidthIsFreeWhatIsAsLargeStays)
{
    const auto path = findExperiment("char-mmfreelm");
    ASSERT_TRUE(path);
    m_experiment = *loadExperiment(path->string());
    m_checked = m_check(m_experiment);
    ASSERT_TRUE(m_checked.runnable());
    const auto matched = match("group:norm=layer_norm", "parameters", "layer_1");
    ASSERT_TRUE(matched) << matched.error().text();
    EXPECT_LE(matched->error, kMatchTolerance);
    EXPECT_GT(matched->error, 0);
    EXPECT_EQ(matched->param, "");
}

TEST_F(MatchGroup, RepeatedGroupsAreCountedWhole)
{
    m_experiment.graph =
        *edits::setRepeat(m_experiment.graph.findByName("body")->id, 2, false).apply(m_experiment.graph);
    m_checked = m_check(m_experiment);
    if (!m_checked.runnable())
        GTEST_SKIP() << firstFault(m_checked);
    const auto matched = match("group:lstm_1=gru:lstm_2=gru");
    ASSERT_TRUE(matched) << matched.error().text();
    EXPECT_LE(matched->error, kMatchTolerance);
    const auto deeper = match("group:repeat=3");
    ASSERT_TRUE(deeper) << deeper.error().text();
    EXPECT_EQ(findNodeAt(deeper->experiment.graph, "body")->group->repeat, 3);
    EXPECT_LT(unitsOf(deeper->experiment, "body.lstm_1"), unitsOf(m_experiment, "body.lstm_1"));
}

TEST_F(MatchGroup, SaysWhatIsWrong)
{
    for (const auto& [text, said] :
         {std::pair("gruu", "gru"), std::pair("group:lstm_3=gru", "lstm_3"), std::pair("group:lstm_1=gruu", "gru"),
          std::pair("@boddy", "body"), std::pair("group:repeat=0", "at least 1"), std::pair("group:repeat=x", "whole"),
          std::pair("group:lstm_2=gru:lstm_1.unitz", "lstm_1.units"),
          std::pair("group:lstm_1.units=7:lstm_2.units=7", "within 2 %")}) {
        const auto matched = match(text);
        ASSERT_FALSE(matched) << text;
        EXPECT_THAT(matched.error().text(), HasSubstr(said)) << text;
    }
}

TEST_F(MatchGroup, LanesAreNamedByWhatDiffers)
{
    EXPECT_EQ(laneWord("model.body", *blockWish("group")), "body");
    EXPECT_EQ(laneWord("body", *blockWish("group:lstm_1=gru:lstm_2=gru")), "body-gru");
    EXPECT_EQ(laneWord("body", *blockWish("group:lstm_1=gru:lstm_2=sru:lstm_1.units=4")), "body-gru-sru");
    EXPECT_EQ(laneWord("body", *blockWish("gru:units=3")), "gru");
    const TestFolder folder;
    RaceWish wish;
    wish.experiment = "char-lstm";
    wish.node = "body";
    wish.blocks = {"group", "group:lstm_1=gru:lstm_2=gru", "gru", "group:lstm_1=gru"};
    wish.match = "parameters";
    const auto plan = planRace(wish, m_experiment, m_registry, m_data, folder.path());
    ASSERT_TRUE(plan) << plan.error().text();
    std::vector<std::string> names;
    for (const RaceLane& lane : plan->race.lanes) {
        names.push_back(lane.name);
        EXPECT_LE(lane.error, kMatchTolerance) << lane.name;
        EXPECT_NEAR(static_cast<double>(lane.parameters), plan->race.target, kMatchTolerance * plan->race.target);
    }
    EXPECT_THAT(names, ::testing::ElementsAre("body", "body-gru", "gru", "body-gru-2"));
    ASSERT_TRUE(saveRace(*plan, folder.path()));
    const auto again = planRace(wish, m_experiment, m_registry, m_data, folder.path());
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->race, plan->race);
}

} // namespace
} // namespace unroll
