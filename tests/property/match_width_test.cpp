// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/adjust.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/gallery.h"
#include "core/experiment/match_width.h"
#include "core/graph/edit.h"
#include "core/model/builders.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::HasSubstr;

/// char-lstm, in which lstm_1 is replaced.
class MatchWidth : public ::testing::Test {
protected:
    void SetUp() override
    {
        const auto path = findExperiment("char-lstm");
        ASSERT_TRUE(path);
        m_experiment = *loadExperiment(path->string());
        m_checked = m_check(m_experiment);
        ASSERT_TRUE(m_checked.runnable());
    }

    Result<MatchedWidth> match(const std::string& text, MatchedSize size)
    {
        const auto wish = blockWish(text);
        const auto changed =
            wish ? withBlockWish(m_experiment, m_registry, "lstm_1", *wish) : tl::unexpected(wish.error());
        if (!changed)
            return tl::unexpected(changed.error());
        return matchWidth(*changed, m_registry, m_check, "lstm_1", *wish, size,
                          sizeOf(size, m_checked, m_experiment.graph));
    }

    /// Where it is refused, what the sentence says to ask for.
    Result<MatchedWidth> matchOrRemedy(const std::string& block, MatchedSize size)
    {
        auto matched = match(block, size);
        if (matched)
            return matched;
        const std::string told = matched.error().text(), begin = "; " + block + ":";
        const std::size_t word = told.find(begin), end = told.find(" does, with ", std::min(word, told.size()));
        return end == std::string::npos ? matched : match(told.substr(word + 2, end - word - 2), size);
    }

    BlockRegistry m_registry = allSpecs();
    DataCache m_data{allBuilders()};
    std::function<CheckedGraph(const Experiment&)> m_check = [this](const Experiment& experiment) {
        return checkExperiment(experiment, m_registry, m_data);
    };
    Experiment m_experiment;
    CheckedGraph m_checked;
};

TEST_F(MatchWidth, OfEveryRecurrentBlockThatHasAWidth)
{
    for (const MatchedSize size : {MatchedSize::Parameters, MatchedSize::Flops, MatchedSize::State})
        for (const BlockSpec* spec : m_registry.all()) {
            if (spec->category != Category::Recurrent || spec->param("units") == nullptr)
                continue;
            if (size == MatchedSize::State && spec->param("num_heads") != nullptr)
                continue; // its states come in large pieces
            const auto matched = match(spec->id, size);
            ASSERT_TRUE(matched) << spec->id << ": " << matched.error().text();
            EXPECT_TRUE(matched->checked.runnable()) << spec->id;
            EXPECT_LE(matched->error, kMatchTolerance) << spec->id << " by " << matchedSizeText(size);
            const double target = sizeOf(size, m_checked, m_experiment.graph);
            EXPECT_EQ(sizeOf(size, matched->checked, matched->experiment.graph), matched->size);
            EXPECT_NEAR(matched->size, target, kMatchTolerance * target);
        }
}

/// The specs say which parameter is the width: y, or for modes the state, follows it. 256 is the input's, which a skip
/// over the block needs, and nobody's default.
TEST_F(MatchWidth, AWidthIsThatOfTheOutput)
{
    for (const BlockSpec* spec : m_registry.all()) {
        const std::string width = widthParam(*spec);
        if (!spec->recurrent || width.empty())
            continue;
        const auto changed = withBlockWish(m_experiment, m_registry, "lstm_1", {spec->id, {{width, "256"}}, {}});
        ASSERT_TRUE(changed) << spec->id;
        const CheckedGraph checked = m_check(*changed);
        const auto& outputs = checked.nodes.at(findNodeAt(changed->graph, "lstm_1")->id).outputs;
        ASSERT_EQ(outputs.count("y"), 1U) << spec->id;
        EXPECT_EQ(outputs.at("y").width, 256) << spec->id << " by " << width;
    }
}

TEST_F(MatchWidth, NeverByARankOrTheStatesOfAFeature)
{
    for (const char* block : {"mamba", "mamba2", "rwkv7", "s4d", "rg_lru", "attention"}) {
        const auto matched = matchOrRemedy(block, MatchedSize::Parameters);
        ASSERT_TRUE(matched) << block << ": " << matched.error().text();
        EXPECT_EQ(matched->param, kFrameParam) << block;
        const Graph& graph = matched->experiment.graph;
        EXPECT_EQ(std::get<std::int64_t>(graph.findByName("lstm_1_in")->params.at("width")), matched->value) << block;
        EXPECT_EQ(std::get<std::int64_t>(graph.findByName("lstm_1_out")->params.at("width")), 256) << block;
        for (const char* name : {"state_size", "decay_rank", "rate_rank", "gate_rank", "dt_rank"})
            EXPECT_EQ(graph.findByName("lstm_1")->params.count(name), 0U) << block << " has another " << name;
    }
    EXPECT_EQ(match("lru", MatchedSize::Parameters)->param, "state_size"); // its modes
}

TEST_F(MatchWidth, MatrixStatesAreMatchedOrSayWhatMatches)
{
    for (const char* block : {"attention", "delta_net", "gated_delta_net", "gla", "hgrn2", "mamba", "srupp"}) {
        const auto matched = matchOrRemedy(block, MatchedSize::State);
        EXPECT_TRUE(matched) << block << ": " << matched.error().text();
    }
}

TEST_F(MatchWidth, ACellInAGroupIsFramedInside)
{
    const NodeId cell = m_experiment.graph.findByName("lstm_1")->id;
    m_experiment.graph = *edits::makeGroup({cell}, "body").apply(m_experiment.graph);
    const auto wish = blockWish("mamba");
    const auto changed = withBlockWish(m_experiment, m_registry, "body.lstm_1", *wish);
    ASSERT_TRUE(changed) << changed.error().text();
    const double target = sizeOf(MatchedSize::Parameters, m_checked, m_experiment.graph);
    const auto matched =
        matchWidth(*changed, m_registry, m_check, "body.lstm_1", *wish, MatchedSize::Parameters, target);
    ASSERT_TRUE(matched) << matched.error().text();
    EXPECT_EQ(matched->param, kFrameParam);
    EXPECT_NE(findNodeAt(matched->experiment.graph, "body.lstm_1_out"), nullptr);
}

TEST_F(MatchWidth, LeavesTheSameBlockAsItIs)
{
    const auto matched = match("lstm", MatchedSize::Parameters);
    ASSERT_TRUE(matched);
    EXPECT_EQ(matched->param, "");
    EXPECT_EQ(matched->error, 0);
    EXPECT_EQ(matched->experiment.graph, m_experiment.graph);
}

TEST_F(MatchWidth, SettingsStayAndNamedParametersAreSolved)
{
    const auto heads = match("mru:num_heads=4:units", MatchedSize::Parameters);
    ASSERT_TRUE(heads) << heads.error().text();
    EXPECT_EQ(heads->param, "units");
    EXPECT_EQ(std::get<std::int64_t>(findNodeAt(heads->experiment.graph, "lstm_1")->params.at("num_heads")), 4);
    const auto state = match("mru", MatchedSize::State);
    ASSERT_TRUE(state) << state.error().text();
    EXPECT_EQ(state->param, "matrix_size"); // units are the width of its output alone
}

TEST_F(MatchWidth, SaysWhatIsWrong)
{
    for (const auto& [text, said] :
         {std::pair("gruu", "gru"), std::pair("gru:", "expected BLOCK"), std::pair("gru:a:b", "one parameter"),
          std::pair("gru:unit", "units"), std::pair("gru:unitz=3", "units"),
          std::pair("mru:units=2:num_heads=1:matrix_size=2", "within 2 %")}) {
        const auto matched = match(text, MatchedSize::Parameters);
        ASSERT_FALSE(matched) << text;
        EXPECT_THAT(matched.error().text(), HasSubstr(said)) << text;
    }
}

} // namespace
} // namespace unroll
