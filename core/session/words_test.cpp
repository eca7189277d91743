// SPDX-License-Identifier: GPL-3.0-or-later
// A run on words reads texts that are not its own by the words that it has learned.
#include "core/lens/probe.h"
#include "core/session/inspection.h"
#include "core/train/trained_run.h"
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace unroll {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::EndedRun;
using ::testing::HasSubstr;
using testing::makeGraph;
using testing::makeNode;
using testing::registry;

Experiment onWords(const std::filesystem::path& file)
{
    Experiment experiment = testing::tinyExperiment();
    Node text = *experiment.graph.nodes.begin()->second;
    text.params["unit"] = std::string("words");
    text.params["file"] = file.string();
    experiment.graph.nodes[text.id] = std::make_shared<const Node>(text);
    experiment.training.steps = 1;
    return experiment;
}

void writeWordText(const std::filesystem::path& path)
{
    std::string text;
    for (int line = 0; line < 500; ++line)
        text += fmt::format("the quick brown fox and the slow red hen {}\n", line % 7);
    writeContent(path, text);
}

Result<std::unique_ptr<Inspection>> openedOnWords(const TestFolder& folder, const std::filesystem::path& data = {},
                                                  bool needsData = true)
{
    return Inspection::open((folder / "run").string(), registry(), allBuilders(),
                            {.dataPath = data.string(), .needsData = needsData});
}

std::vector<std::string> wordNotesOf(const std::vector<DataNote>& notes)
{
    std::vector<std::string> sentences;
    for (const DataNote& note : notes)
        sentences.push_back(note.sentence);
    return sentences;
}

/// The new file has words in another order, fewer of the known ones and some that are not: all that its own vocabulary
/// would differ by.
TEST(WordRuns, OtherTextsAreReadWithTheVocabularyOfTheRun)
{
    const TestFolder folder;
    writeWordText(folder / "text.txt");
    const EndedRun run(onWords(folder / "text.txt"), {.runFolder = folder / "run"});
    ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    std::string other;
    for (int line = 0; line < 50; ++line)
        other += "red red hen met the zebra\n";
    writeContent(folder / "other.txt", other);
    const auto inspection = openedOnWords(folder, folder / "other.txt");
    ASSERT_TRUE(inspection) << inspection.error().text();
    const auto figures = (*inspection)->evaluate(Split::All);
    ASSERT_TRUE(figures) << figures.error().text();
    EXPECT_TRUE(std::isfinite(figures->loss));
    EXPECT_EQ(figures->targets, 349);
    EXPECT_THAT(wordNotesOf((*inspection)->dataNotes()),
                Contains(HasSubstr("100 of 350 words (28.57 %) are <unk>, which stands for all words that the "
                                   "vocabulary of 17 lacks")));
    const auto trained = openTrainedRun((folder / "run").string(), registry(), allBuilders(),
                                        {.dataPath = (folder / "other.txt").string()});
    ASSERT_TRUE(trained) << trained.error().text();
    const auto own = openTrainedRun((folder / "run").string(), registry(), allBuilders(), {});
    ASSERT_TRUE(own) << own.error().text();
    EXPECT_EQ(trained->data->alphabet(), own->data->alphabet());
    EXPECT_EQ(trained->data->decode(trained->data->beginning(Split::All, 7)), "red red hen <unk> the <unk>\n");
}

/// A prompt is read by what the run remembers, also where its data are gone.
TEST(WordRuns, PromptsMayHaveWordsThatTheRunHasNotLearned)
{
    const TestFolder folder;
    writeWordText(folder / "text.txt");
    const EndedRun run(onWords(folder / "text.txt"), {.runFolder = folder / "run"});
    ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    std::filesystem::remove(folder / "text.txt");
    const auto inspection = openedOnWords(folder, {}, false);
    ASSERT_TRUE(inspection) << inspection.error().text();
    const auto text = (*inspection)->sample("the zebra", 3, {.temperature = 1}, 1);
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_EQ(text->substr(0, 9), "the <unk>");
    EXPECT_EQ((*inspection)->unknownIn("the zebra"), "1 of 2 words read as <unk>: the vocabulary of 17 lacks 'zebra'");
    EXPECT_EQ((*inspection)->unknownIn("the fox"), "");
    EXPECT_EQ((*inspection)->sample("the", 3, {.temperature = 1, .stop = "zebra"}, 1).error().text(),
              "stop: the vocabulary of 17 words lacks 'zebra'");
}

TEST(WordRuns, AReadingOfATextSaysWhatItReadsAsUnknown)
{
    const TestFolder folder;
    writeWordText(folder / "text.txt");
    const auto trained = EndedRun(onWords(folder / "text.txt"), {.runFolder = folder / "run"});
    ASSERT_EQ(trained.last.state, RunState::Finished) << trained.last.failure;
    const auto own = openTrainedRun((folder / "run").string(), registry(), allBuilders(), {});
    ASSERT_TRUE(own) << own.error().text();
    const auto reading = encodeReading(factsOf(*own->data), "the zebra met the hen", 4);
    ASSERT_TRUE(reading) << reading.error().text();
    EXPECT_EQ(reading->of,
              "the first 4 steps of the given text (2 of 5 words read as <unk>: the vocabulary of 17 lacks "
              "'zebra', 'met')");
    EXPECT_THAT(reading->characters, ElementsAre("the", "<unk>", "<unk>", "the"));
    EXPECT_EQ(findText(*own->data, "the zebra").error().text(), "the vocabulary of 17 words lacks 'zebra'")
        << "<unk> is no place of it";
}

Experiment onLabelledWords(const std::filesystem::path& file)
{
    Experiment experiment = testing::tinyExperiment();
    experiment.graph = makeGraph(
        {makeNode(1, "labelled_text", "texts", {{"file", file.string()}, {"unit", std::string("words")}}),
         makeNode(2, "embedding", "embedding", {{"width", std::int64_t{4}}}),
         makeNode(3, "gru", "gru", {{"units", std::int64_t{8}}}), makeNode(4, "head", "head")},
        {{{1, "tokens"}, {2, "tokens"}}, {{2, "y"}, {3, "x"}}, {{3, "y"}, {4, "x"}}, {{1, "targets"}, {4, "targets"}}});
    experiment.training.steps = 1;
    experiment.training.batch = 4;
    return experiment;
}

TEST(WordRuns, OtherLabelledTextsAreReadWithItsWordsAndLabels)
{
    const TestFolder folder;
    std::string rows = "text,label\n";
    for (int i = 0; i < 40; ++i)
        rows += fmt::format("the {} film {},{}\n", i % 2 == 0 ? "good" : "bad", i % 5, i % 2 == 0 ? "yes" : "no");
    writeContent(folder / "set.csv", rows);
    const EndedRun run(onLabelledWords(folder / "set.csv"), {.runFolder = folder / "run"});
    ASSERT_EQ(run.last.state, RunState::Finished) << run.last.failure;
    writeContent(folder / "other.csv", "text,label\na bad play,yes\nthe film,yes\n");
    const auto inspection = openedOnWords(folder, folder / "other.csv");
    ASSERT_TRUE(inspection) << inspection.error().text();
    const auto figures = (*inspection)->evaluate(Split::All);
    ASSERT_TRUE(figures) << figures.error().text();
    EXPECT_THAT(figures->labels, ElementsAre("no", "yes"));
    EXPECT_EQ(figures->targets, 2);
    EXPECT_THAT(wordNotesOf((*inspection)->dataNotes()), Contains(HasSubstr("2 of 5 words are <unk>")));
    const auto told = (*inspection)->sample("a good play", 1, {}, 1);
    ASSERT_TRUE(told) << told.error().text();
    writeContent(folder / "strange.csv", "text,label\nthe film,yes\na film,maybe\n");
    EXPECT_THAT(openedOnWords(folder, folder / "strange.csv").error().text(),
                HasSubstr("line 3: unknown label maybe; the model was trained with no, yes"));
}

} // namespace
} // namespace unroll
