// SPDX-License-Identifier: GPL-3.0-or-later
// One label a sequence from the file to the confusion table.
#include "core/experiment/gallery.h"
#include "core/session/inspection.h"
#include "core/train/labels.h"
#include "tests/support/short_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace unroll {
namespace {

using ::testing::AllOf;
using testing::BuiltRun;
using ::testing::ElementsAre;
using testing::EndedRun;
using ::testing::HasSubstr;
using testing::makeGraph;
using testing::makeNode;
using ::testing::Not;
using testing::registry;

/// Texts of a and b, and which of them comes more often: "more a", "more b". 240 rows sorted by label.
void writeSet(const std::filesystem::path& path)
{
    std::string rows[2];
    for (int i = 0; i < 240; ++i) {
        const int length = 3 + 2 * (i % 4);
        int as = 0;
        std::string text;
        for (int k = 0; k < length; ++k)
            text += (i * 7 + k * k * (i + 3)) % 5 < 2 + i % 2 ? (++as, 'a') : 'b';
        rows[as * 2 > length] += fmt::format("{},more {}\n", text, as * 2 > length ? 'a' : 'b');
    }
    writeContent(path, "text,label\n" + rows[0] + rows[1]);
}

/// All that the lens says of the start of validation.
std::string saidBy(const std::string& lens, Inspection& inspection)
{
    const auto frame = inspection.see({lens}, {});
    if (!frame || (*frame)->data == nullptr)
        return frame ? (*frame)->trouble : frame.error().text();
    const Figure figure = (*frame)->data->figure();
    std::string said = figure.shows;
    for (const std::string& finding : figure.findings)
        said += "\n" + finding;
    for (const FigurePanel& panel : figure.panels)
        said += "\n" + panel.y.title;
    return said;
}

/// With both directions, a pool and a layer behind it.
Experiment classifier(const std::filesystem::path& file, std::int64_t steps = 60)
{
    Experiment experiment;
    experiment.graph =
        makeGraph({makeNode(1, "labelled_text", "texts", {{"file", file.string()}}),
                   makeNode(2, "embedding", "embedding", {{"width", std::int64_t{4}}}),
                   makeNode(3, "gru", "gru", {{"units", std::int64_t{8}}, {"bidirectional", true}}),
                   makeNode(4, "pool", "pool", {{"kind", std::string("mean")}}),
                   makeNode(5, "linear", "linear", {{"width", std::int64_t{8}}}), makeNode(6, "head", "head")},
                  {{{1, "tokens"}, {2, "tokens"}},
                   {{2, "y"}, {3, "x"}},
                   {{1, "mask"}, {3, "mask"}},
                   {{3, "y"}, {4, "x"}},
                   {{1, "mask"}, {4, "mask"}},
                   {{4, "y"}, {5, "x"}},
                   {{5, "y"}, {6, "x"}},
                   {{1, "targets"}, {6, "targets"}}});
    experiment.training.steps = steps;
    experiment.training.batch = 16;
    experiment.training.warmup = 2;
    experiment.training.learningRate = 2e-2;
    experiment.training.evaluateEvery = 20;
    experiment.training.evaluateBatches = 2;
    experiment.training.sampleEvery = steps;
    experiment.training.checkpointEvery = 0;
    experiment.training.threads = 1;
    experiment.training.device = "cpu";
    return experiment;
}

TEST(LabelsOfSequences, AreLearnedAndToldWithTheirTable)
{
    const TestFolder folder;
    writeSet(folder / "set.csv");
    const EndedRun run(classifier(folder / "set.csv"), {.runFolder = folder / "run"});
    ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    EXPECT_EQ(run.last.measures.lossUnit, "nats/sequence");
    const auto& values = run.rows.back().values;
    EXPECT_GT(values.at("final/acc"), 0.95);
    EXPECT_EQ(values.count("val/bpc") + values.count("val/ppl"), 0u) << "these are of a next token";
    ASSERT_FALSE(run.last.samples.empty());
    EXPECT_THAT(run.last.samples.back().text, HasSubstr("true label more "));
    auto opened = Inspection::open(folder / "run", registry(), allBuilders(), {});
    ASSERT_TRUE(opened) << opened.error().text();
    const auto figures = (*opened)->evaluate(Split::Validation);
    ASSERT_TRUE(figures) << figures.error().text();
    EXPECT_EQ(figures->lossUnit, "nats/sequence");
    EXPECT_THAT(saidBy("answers", **opened), AllOf(HasSubstr("nats/sequence over 1 target"), Not(HasSubstr("/token"))));
    EXPECT_THAT(saidBy("memory", **opened), AllOf(HasSubstr("loss (nats/sequence)"), Not(HasSubstr("/token"))));
    EXPECT_THAT(saidBy("touch", **opened), AllOf(HasSubstr("nats/sequence"), Not(HasSubstr("/token"))));
    EXPECT_THAT(figures->labels, ElementsAre("more a", "more b"));
    ASSERT_EQ(figures->confusion.size(), 4u);
    EXPECT_EQ(std::accumulate(figures->confusion.begin(), figures->confusion.end(), std::int64_t{0}), 48)
        << "a fifth of 240";
    EXPECT_NEAR(*figures->accuracy, static_cast<double>(figures->confusion[0] + figures->confusion[3]) / 48, 1e-12);
    EXPECT_NEAR(*figures->accuracy, values.at("final/acc"), 1e-12);
    const std::string table = contentOf(folder / "run/confusion.csv");
    EXPECT_EQ(table, confusionCsv(60, Split::Validation, figures->labels, figures->confusion));
    EXPECT_THAT(table, HasSubstr("step,split,label,predicted more a,predicted more b\r\n60,val,more a,"));
    ASSERT_TRUE(figures->baseline);
    EXPECT_NEAR(*figures->baseline->accuracy,
                static_cast<double>(std::max(figures->confusion[0] + figures->confusion[1],
                                             figures->confusion[2] + figures->confusion[3])) /
                    48,
                1e-12);
    const auto told = (*opened)->sample("aaaba", 10, {.temperature = 1}, 1);
    ASSERT_TRUE(told) << told.error().text();
    EXPECT_EQ(told->substr(0, 6), "more a");
    EXPECT_EQ((*opened)->sample("", 10, {.temperature = 1}, 1).error().text(),
              "prompt: this network classifies text: a text is required");
    EXPECT_THAT((*opened)->sample("abc", 10, {.temperature = 1}, 1).error().text(),
                HasSubstr("'c' (U+0063) is not in the alphabet"));
}

/// The order of the labels is that of the run: a file in which one is missing, or another comes, is read with it or
/// refused by its line.
TEST(LabelsOfSequences, OtherDataAreReadWithTheLabelsOfTheRun)
{
    const TestFolder folder;
    writeSet(folder / "set.csv");
    const EndedRun run(classifier(folder / "set.csv", 20), {.runFolder = folder / "run"});
    ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    writeContent(folder / "one.csv", "text,label\naab,more b\n");
    auto opened =
        Inspection::open(folder / "run", registry(), allBuilders(), {.dataPath = (folder / "one.csv").string()});
    ASSERT_TRUE(opened) << opened.error().text();
    const auto figures = (*opened)->evaluate(Split::All);
    ASSERT_TRUE(figures) << figures.error().text();
    EXPECT_EQ(figures->confusion[2] + figures->confusion[3], 1)
        << "more b is the second label, though the file has it alone";
    writeContent(folder / "other.csv", "text,label\naab,more a\nabb,less\n");
    const auto refused =
        Inspection::open(folder / "run", registry(), allBuilders(), {.dataPath = (folder / "other.csv").string()});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().text(),
                HasSubstr("line 3: unknown label less; the model was trained with more a, more b"));
}

/// The slice that is examined on the way has the labels as the whole has them, though the file is sorted by them.
TEST(LabelsOfSequences, ASliceOfValidationHasEveryLabel)
{
    const TestFolder folder;
    writeSet(folder / "set.csv");
    const BuiltRun run(classifier(folder / "set.csv"));
    const auto slice = run.trainer->evaluate({Split::Validation, 16, 1});
    ASSERT_TRUE(slice);
    EXPECT_GT(slice->confusion[0] + slice->confusion[1], 0);
    EXPECT_GT(slice->confusion[2] + slice->confusion[3], 0);
}

TEST(LabelsOfSequences, TheConfusionTableQuotesItsLabels)
{
    EXPECT_EQ(confusionCsv(5, Split::Test, {"a,b", "say \"no\""}, {1, 2, 3, 4}),
              "step,split,label,\"predicted a,b\",\"predicted say \"\"no\"\"\"\r\n5,test,\"a,b\",1,2\r\n5,test,\"say "
              "\"\"no\"\"\",3,4\r\n");
}

/// The gallery's are learned in a fraction of what they are given.
TEST(LabelsOfSequences, TheChirpsAreLearned)
{
    Experiment experiment = loadExperiment(findExperiment("labels-both-ways").value().string()).value();
    experiment.training.steps = 100;
    experiment.training.threads = 1;
    experiment.training.device = "cpu";
    const EndedRun run(experiment);
    ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    EXPECT_GT(run.rows.back().values.at("final/acc"), 0.95);
    EXPECT_THAT(run.last.samples.back().text, HasSubstr("sequence "));
}

} // namespace
} // namespace unroll
