// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/forecast/forecast.h"
#include "core/lens/state/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two signals of one node over two steps.
ProbeFrame lookAtTwo()
{
    return {.step = 7,
            .characters = {"a", "b"},
            .signalFrames = {{"lstm", "h", SignalKind::Bounded, 2, 1, {0.5f, -0.5f}},
                             {"lstm", "f", SignalKind::Gate, 2, 1, {0, 1}}},
            .forecasts = {{"height", {1, 2}, {2, 2}}}};
}

TEST(Lenses, AreWellFormedAndFoundByTheirIds)
{
    std::set<std::string> ids;
    for (const auto& lens : allLenses()) {
        const LensSpec& spec = lens->spec();
        EXPECT_TRUE(ids.insert(spec.id).second) << spec.id;
        EXPECT_EQ(findLens(spec.id), lens.get());
        EXPECT_FALSE(spec.title.empty()) << spec.id;
        EXPECT_THAT(spec.summary, ::testing::EndsWith(".")) << spec.id;
        EXPECT_EQ(paramsFault(spec.settings), "") << spec.id;
    }
    EXPECT_TRUE(ids.contains("state") && ids.contains("forecast"));
    EXPECT_EQ(findLens("no-such-lens"), nullptr);
}

/// Whatever a lens is asked, an answer comes: data or a reason.
TEST(Lenses, AnswerALookThatShowsNothing)
{
    for (const auto& lens : allLenses()) {
        const auto frames = framesOf({ProbeFrame{}}, {LensQuery{lens->spec().id, "lstm", "h", {}}});
        ASSERT_EQ(frames.size(), 1u);
        EXPECT_EQ(frames[0]->data, nullptr) << lens->spec().id;
        EXPECT_NE(frames[0]->trouble, "") << lens->spec().id;
    }
}

TEST(Lenses, NeedWhatTheirQueriesNeedTogether)
{
    const LensNeeds none = needsOf({});
    EXPECT_TRUE(none.watched.empty() && !none.forecasts);
    const LensQuery h = stateQuery({"lstm", "h"}), f = stateQuery({"lstm", "f"});
    const LensNeeds needs = needsOf({h, f, h, forecastQuery(), {"no-such-lens", "lstm", "c"}});
    EXPECT_THAT(needs.watched, ElementsAre(WatchedSignal{"lstm", "h"}, WatchedSignal{"lstm", "f"}));
    EXPECT_TRUE(needs.forecasts);
    EXPECT_FALSE(needsOf({h}).forecasts);
}

TEST(Lenses, AreAnsweredInTheOrderOfTheQueries)
{
    const std::vector<LensQuery> open{forecastQuery(), stateQuery({"lstm", "f"}), stateQuery({"lstm", "h"})};
    const auto frames = framesOf({lookAtTwo()}, open);
    ASSERT_EQ(frames.size(), open.size());
    for (std::size_t i = 0; i < open.size(); ++i) {
        EXPECT_EQ(frames[i]->query, open[i]);
        EXPECT_EQ(frames[i]->step, 7);
        EXPECT_EQ(frames[i]->trouble, "");
    }
    const auto forecast = dataOf<ForecastData>(frames[0]);
    ASSERT_NE(forecast, nullptr);
    EXPECT_EQ(forecast->columns.at(0).column, "height");
    EXPECT_EQ(stateLook(frames[0]), nullptr) << "it is another lens's";
    const auto state = stateLook(frames[1]);
    ASSERT_NE(state, nullptr);
    EXPECT_EQ(state->step, 7);
    EXPECT_THAT(state->characters, ElementsAre("a", "b"));
    ASSERT_EQ(state->signalFrames.size(), 1u);
    EXPECT_EQ(state->signalFrames[0].signal, "f");
    EXPECT_THAT(state->signalFrames[0].values, ElementsAre(0, 1));
    EXPECT_THAT(state->forecasts, IsEmpty());
}

/// What is drawn says what it is.
TEST(Lenses, DrawFiguresThatSayWhatTheyShow)
{
    for (const LensQuery& query :
         {stateQuery({"lstm", "h"}), forecastQuery(), LensQuery{"unit_stats", "lstm", "h", {}}}) {
        const auto frame = frameOf({lookAtTwo()}, query);
        ASSERT_NE(frame->data, nullptr) << frame->trouble;
        const Figure figure = frame->data->figure();
        EXPECT_THAT(figure.shows, ::testing::EndsWith(".")) << query.lens;
        ASSERT_EQ(figure.panels.size(), 1u) << query.lens;
        EXPECT_EQ(figure.missing, 0) << query.lens;
    }
    const Figure state = frameOf({lookAtTwo()}, stateQuery({"lstm", "h"}))->data->figure();
    EXPECT_THAT(state.panels[0].cells->values, ElementsAre(0.5f, -0.5f));
    EXPECT_EQ(state.panels[0].cells->scale, FigureCells::Scale::Bounded);
}

TEST(Lenses, SayWhyThereIsNothingToShow)
{
    const auto troubleOfQuery = [](const LensQuery& query) { return framesOf({lookAtTwo()}, {query})[0]->trouble; };
    EXPECT_THAT(troubleOfQuery({"no-such-lens"}), HasSubstr("no-such-lens"));
    EXPECT_THAT(troubleOfQuery(stateQuery({"lstm", "c"})), HasSubstr("lstm did not show the signal c"));
    LensQuery set = stateQuery({"lstm", "h"});
    set.settings["colour"] = std::string("red");
    EXPECT_THAT(troubleOfQuery(set), HasSubstr("no setting named colour"));
}

} // namespace
} // namespace unroll
