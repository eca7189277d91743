// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/tracks/tracks.h"

#include "core/lens/probe.h"
#include "tests/support/short_runs.h"

#include <ATen/ops/equal.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::AnyOf;
using testing::BuiltRun;
using ::testing::HasSubstr;
using testing::makeGraph;
using testing::makeNode;
using ::testing::StartsWith;

LensQuery queryFor(const std::string& scope = "signal", const std::string& node = "lstm",
                   const std::string& signal = "c")
{
    return {"tracks", node, signal, {{"scope", scope}, {"steps", std::int64_t{1024}}}};
}

struct Asked {
    ProbeFrame look;
    ProbeText text;
    std::shared_ptr<const LensFrame> frame;

    Asked(const BuiltRun& run, const LensQuery& query) : text(makeProbeText(*run.data, ""))
    {
        look = probe(*run.model, text, {}, 7);
        frame = frameOf({look, run.model.get(), run.data.get(), &text}, query);
    }

    const TracksData& data() const
    {
        const auto data = dataOf<TracksData>(frame);
        if (!data)
            throw std::runtime_error(frame->trouble);
        return *data;
    }
};

TEST(Tracks, SaysWhatTheUnitsOfASignalTrack)
{
    const BuiltRun run(testing::tinyExperiment());
    const Asked asked(run, queryFor());
    const TracksData& data = asked.data();
    ASSERT_EQ(data.layers.size(), 1u);
    EXPECT_EQ(data.layers[0].units.size(), 24u);
    EXPECT_GE(data.steps, 1024);
    EXPECT_EQ(data.missing, 0);
    EXPECT_EQ(data.layers[0].scores.size(), 24 * data.features.size());
    EXPECT_THAT(data.of, HasSubstr("validation split"));
    const Figure figure = data.figure();
    EXPECT_THAT(figure.shows, ::testing::EndsWith("."));
    ASSERT_FALSE(figure.findings.empty());
    EXPECT_THAT(figure.findings[0], AnyOf(StartsWith("Unit "), StartsWith("No unit ")));
    EXPECT_FALSE(figure.panels.empty());
    for (const FigurePanel& panel : figure.panels)
        for (const FigureSeries& series : panel.series)
            EXPECT_EQ(series.x.size(), series.y.size()) << panel.id;
    for (const FigureTable& table : figure.tables)
        for (const FigureTable::Row& row : table.rows)
            EXPECT_EQ(row.cells.size(), table.columns.size());
}

TEST(Tracks, LeavesTheModelAsItWasAndAnswersTheSameAgain)
{
    const BuiltRun run(testing::tinyExperiment());
    const at::Tensor before = run.weight("lstm.weight_hh_l0").detach().clone();
    const Asked first(run, queryFor()), again(run, queryFor());
    EXPECT_THAT(first.data().layers[0].scores,
                ::testing::Pointwise(::testing::NanSensitiveDoubleEq(), again.data().layers[0].scores));
    EXPECT_TRUE(at::equal(before, run.weight("lstm.weight_hh_l0")));
    EXPECT_FALSE(run.weight("lstm.weight_hh_l0").grad().defined());
}

TEST(Tracks, LooksAtNodesAndAtAllStates)
{
    const BuiltRun run(testing::tinyExperiment());
    const Asked node(run, queryFor("node")), model(run, queryFor("model", "", ""));
    EXPECT_EQ(node.data().layers.size(), 6u) << "c, h and the gates";
    ASSERT_EQ(model.data().layers.size(), 2u);
    for (const TrackedLayer& layer : model.data().layers)
        EXPECT_TRUE(layer.signal == "h" || layer.signal == "c");
    const auto& first = model.data().best.front();
    EXPECT_THAT(model.data().trackText(first), HasSubstr("of lstm " + model.data().layers[first.layer].signal));
}

/// Padding is left out, each sequence begins again.
TEST(Tracks, ReadsTheSequencesOfATask)
{
    Experiment experiment = testing::tinyExperiment("gru");
    experiment.graph = makeGraph(
        {makeNode(1, "parity", "parity"), makeNode(2, "embedding", "embedding", {{"width", std::int64_t{4}}}),
         makeNode(3, "gru", "gru", {{"units", std::int64_t{10}}}), makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    const BuiltRun run(experiment);
    const Asked asked(run, queryFor("signal", "gru", "h"));
    const auto& features = asked.data().features;
    const auto parity =
        std::find_if(features.begin(), features.end(), [](const auto& each) { return each.id == "parity"; });
    ASSERT_NE(parity, features.end());
    EXPECT_NEAR(parity->on, 0.5, 0.1);
    EXPECT_THAT(asked.data().of, HasSubstr("each from a zero state"));
    EXPECT_GE(asked.data().steps, 1024);
}

TEST(Tracks, ComparesTheBrushedSpanOnTheReading)
{
    const BuiltRun run(testing::tinyExperiment());
    LensQuery query = queryFor();
    query.settings["from"] = std::int64_t{10};
    query.settings["to"] = std::int64_t{30};
    const Asked asked(run, query);
    const TrackedFeature& span = asked.data().features.back();
    EXPECT_TRUE(span.ofReading);
    EXPECT_EQ(span.when, "inside steps 11 to 30 of the reading");
    EXPECT_EQ(span.reason, "");
    EXPECT_NEAR(span.on, 20.0 / static_cast<double>(span.known), 1e-12);
    EXPECT_EQ(asked.data().layers[0].scores.size(), 24 * asked.data().features.size());
}

TEST(Tracks, SaysWhatIsNoSpanOfTheReading)
{
    const BuiltRun run(testing::tinyExperiment());
    for (const auto& [from, to] : {std::pair{10, 300}, {300, 310}, {30, 10}, {10, 10}, {10, -1}, {-1, 10}}) {
        LensQuery query = queryFor();
        query.settings["from"] = static_cast<std::int64_t>(from);
        query.settings["to"] = static_cast<std::int64_t>(to);
        const Asked asked(run, query);
        EXPECT_FALSE(asked.data().features.back().ofReading) << from << " to " << to;
        EXPECT_THAT(asked.data().figure().findings,
                    ::testing::Contains(HasSubstr(fmt::format("From {} to {} is no span of a reading of", from, to))));
    }
}

TEST(Tracks, SayWhyThereIsNothing)
{
    const BuiltRun run(testing::tinyExperiment());
    EXPECT_THAT(Asked(run, queryFor("signal", "lstm", "x")).frame->trouble, HasSubstr("does not show the signal x"));
    EXPECT_THAT(Asked(run, queryFor("node", "text", "")).frame->trouble, HasSubstr("shows no signal"));
    const auto frame = frameOf({ProbeFrame{}}, queryFor());
    EXPECT_THAT(frame->trouble, HasSubstr("not available"));
}

/// One feature of each kind, with known scores.
TracksData handMade()
{
    TracksData data;
    data.features = {{"in_quotes", "quotations", "inside quotations", false, 100, 0.2, 0.56, "", 1},
                     {"bracket_depth", "bracket depth", "", false, 100, 0, 0.2, "", 0},
                     {"digit", "digits", "at digits", false, 100, 0, 0.5, "it is off at every one of these steps", 0}};
    data.layers.resize(1);
    data.layers[0].node = "lstm_2";
    data.layers[0].signal = "c";
    data.layers[0].units = {37};
    data.layers[0].scores = {0.992, -0.11, 0};
    data.layers[0].q = {0, 0.4, 0};
    data.best = {{0, 0, 37, 0.992, 0, true}, {1, 0, 37, -0.11, 0.4, false}};
    data.found = {{0, 0, 37, 0.992, 0, true}};
    data.nodesAreEnough = true;
    data.of = "100 steps of the validation split";
    return data;
}

TEST(Tracks, SpeaksInSentences)
{
    const Figure figure = handMade().figure();
    EXPECT_THAT(figure.findings,
                ::testing::ElementsAre("Unit 37 of lstm_2 is on inside quotations: AUC 0.992 (chance 0.56).",
                                       "No unit tracks bracket depth (best |r| 0.11, chance 0.20).",
                                       "Not available: digits (it is off at every one of these steps)."));
    ASSERT_FALSE(figure.tables.empty());
    EXPECT_EQ(figure.tables[0].rows[0].node, "lstm_2");
    EXPECT_THAT(figure.tables[0].rows[0].units, ::testing::ElementsAre(37));
    TracksData off = handMade();
    off.best[0].score = 0.01;
    EXPECT_EQ(off.sentence(off.best[0]), "unit 37 of lstm_2 is off inside quotations: AUC 0.990 (chance 0.56)");
    off.layers[0].names = {4, 8, {.matrix = "head", .row = "key", .column = "value"}};
    EXPECT_EQ(off.sentence(off.best[0]),
              "head 1, key 0, value 5 of lstm_2 is off inside quotations: AUC 0.990 (chance 0.56)");
    EXPECT_THAT(off.figure().tables[0].rows[0].cells,
                ::testing::Contains(HasSubstr("head 1, key 0, value 5 of lstm_2")));
    off.layers[0].names = {};
    off.best[0].score = 0.6;
    EXPECT_EQ(off.sentence(off.best[0]), "no unit tracks quotations closely; unit 37 of lstm_2 is on inside "
                                         "quotations: AUC 0.600 (chance 0.56)");
}

/// Units of the strongest feature first; what is not a discovery, or below chance, is left out.
TEST(Tracks, RanksUnitsByWhatTheyTrack)
{
    TracksData data = handMade();
    data.layers[0].units = {3, 5, 37, 8};
    data.layers[0].scores = {0.9, 0.5, 0.05, 0.55, /* depth */ -0.3, 0.8, 0.1, 0.1, /* digits */ 0, 0, 0, 0};
    data.layers[0].q = {0, 0.9, 0, 0, /* depth */ 0, 0, 0, 0.4, /* digits */ 1, 1, 1, 1};
    EXPECT_THAT(data.unitsRanked("lstm_2", "c"), ::testing::ElementsAre(37, 3, 5))
        << "0.05 is as far from 0.5 as 0.95; 8 is below chance";
    EXPECT_THAT(data.unitsRanked("lstm_2", "h"), ::testing::IsEmpty());
    EXPECT_THAT(rankedRows(data, "lstm_2", "c", 40).size(), 40u);
    EXPECT_EQ(rankedRows(data, "lstm_2", "c", 40)[3], 0) << "the others by index";
}

/// Since when it is above 0.9 for good, and the curve of it.
TEST(Tracks, TellsSinceWhenAFeatureIsTracked)
{
    TracksData data = handMade();
    EXPECT_FALSE(data.trackedSince(data.features[0]));
    const double scores[] = {0.6, 0.95, 0.8, 0.91, 0.99};
    for (std::int64_t i = 0; i < 5; ++i)
        data.history.add(10 * (i + 1),
                         {{"auc.in_quotes", scores[i]}, {"r.bracket_depth", 0.1}, {"auc.in_quotes_too", 1}});
    EXPECT_EQ(data.trackedSince(data.features[0]), 40);
    EXPECT_FALSE(data.trackedSince(data.features[1]));
    const Figure figure = data.figure();
    const auto panel = std::find_if(figure.panels.begin(), figure.panels.end(),
                                    [](const FigurePanel& each) { return each.id == "auc_over_training"; });
    ASSERT_NE(panel, figure.panels.end());
    ASSERT_EQ(panel->series.size(), 1u) << "one that is not known is not drawn";
    EXPECT_EQ(panel->series[0].name, "quotations");
    EXPECT_THAT(panel->series[0].y, ::testing::ElementsAreArray(scores));
    const auto& row = figure.tables.back().rows[0].cells;
    EXPECT_EQ(row.back(), "update 40");
}

/// As the lens finds them when it is asked for all states.
TEST(Tracks, KeepsTheBestScoresOfAllStates)
{
    const BuiltRun run(testing::tinyExperiment());
    LensQuery query = queryFor("model", "", "");
    query.settings["steps"] = std::int64_t{4096};
    const Asked asked(run, query);
    const ProbeFrame nothing{};
    const auto kept = findLens("tracks")->summary({nothing, run.model.get(), run.data.get()});
    ASSERT_TRUE(kept) << kept.error().text();
    std::size_t compared = 0;
    for (const Track& track : asked.data().best) {
        const TrackedFeature& feature = asked.data().features[track.feature];
        const std::string name = (feature.binary() ? "auc." : "r.") + feature.id;
        const auto found =
            std::find_if(kept->begin(), kept->end(), [&](const auto& each) { return each.name == name; });
        ASSERT_NE(found, kept->end()) << name;
        EXPECT_NEAR(found->value, sizeOf(track.score, feature.binary()), 1e-12) << name;
        ++compared;
    }
    EXPECT_GE(compared, 5u);
}

/// Attention keeps no state as units: what it outputs is examined.
TEST(Tracks, OfANodeWithoutUnitsItLooksAtTheOutput)
{
    Experiment experiment = testing::tinyExperiment();
    experiment.graph = makeGraph(
        {makeNode(1, "parity", "parity"), makeNode(2, "embedding", "embedding", {{"width", std::int64_t{8}}}),
         makeNode(3, "attention", "attention", {{"num_heads", std::int64_t{2}}}), makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    const BuiltRun run(experiment);
    const Asked asked(run, queryFor("model", "", ""));
    ASSERT_EQ(asked.data().layers.size(), 1u);
    EXPECT_EQ(asked.data().layers[0].node, "attention");
    EXPECT_EQ(asked.data().layers[0].signal, "y");
    EXPECT_EQ(asked.data().layers[0].width, 8);
}

} // namespace
} // namespace unroll
