// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/features/features.h"

#include "core/data/fable_corpus.h"
#include "core/data/tasks/adding_task.h"
#include "core/data/tasks/copy_task.h"
#include "core/data/tasks/counting_task.h"
#include "core/data/tasks/parity_task.h"
#include "core/data/tasks/recall_task.h"
#include "core/data/tasks/vector_copy_task.h"
#include "core/data/tasks/word_problem_task.h"
#include "core/data/text_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

namespace unroll {
namespace {

using ::testing::ElementsAre;

const Feature& named(const std::vector<Feature>& features, const std::string& id)
{
    const auto found =
        std::find_if(features.begin(), features.end(), [&](const Feature& each) { return each.id == id; });
    if (found == features.end())
        throw std::out_of_range("no feature " + id);
    return *found;
}

bool has(const std::vector<Feature>& features, const std::string& id)
{
    return std::any_of(features.begin(), features.end(), [&](const Feature& each) { return each.id == id; });
}

/// '1', '0' or '?' at each step.
std::string flags(const Feature& feature)
{
    std::string text;
    for (const float value : feature.values)
        text += std::isnan(value) ? '?' : value == 0 ? '0' : value == 1 ? '1' : '#';
    return text;
}

/// The features of a text of its own, which begins with it.
std::vector<Feature> featuresOfText(const std::string& text)
{
    TextSource source;
    source.name = "a.txt";
    source.text = text + text;
    source.validationText = text;
    source.validationName = "b.txt";
    TextOptions options;
    options.steps = 2;
    const auto data = TextDataset::fromSource(std::move(source), options).value();
    ReadSequence read;
    read.tokens = data->encode(text).value();
    read.steps = read.to = std::ssize(read.tokens);
    return featuresOf(*data, {read});
}

TEST(Features, OfAnyText)
{
    const auto features = featuresOfText("Hi \"you\" (a[b]) 7.\nNo 'go', it's so");
    EXPECT_EQ(flags(named(features, "in_quotes")), "0001111000000000000000000000000000"
                                                   "0");
    EXPECT_EQ(flags(named(features, "in_brackets")), "00000000011111000000000000000000000");
    EXPECT_EQ(flags(named(features, "in_single_quotes")), "00000000000000000000001110000000000");
    EXPECT_EQ(flags(named(features, "capital")), "10000000000000000001000000000000000");
    EXPECT_EQ(flags(named(features, "digit")), "00000000000000001000000000000000000");
    EXPECT_EQ(flags(named(features, "line_start")), "10000000000000000001000000000000000");
    EXPECT_EQ(flags(named(features, "space")), "00100000100000010010010000010000100");
    EXPECT_THAT(std::vector<float>(named(features, "bracket_depth").values.begin() + 8,
                                   named(features, "bracket_depth").values.begin() + 16),
                ElementsAre(0, 1, 1, 2, 2, 1, 0, 0));
    const std::vector<float>& line = named(features, "place_in_line").values;
    EXPECT_EQ(line[0], 1);
    EXPECT_EQ(line[17], 18);
    EXPECT_EQ(line[18], 0) << "the line end";
    EXPECT_EQ(line[19], 1);
    EXPECT_EQ(named(features, "place_in_word").values[5], 2);
    EXPECT_TRUE(std::isnan(named(features, "word_end").values.back())) << "what follows is not known";
    EXPECT_FALSE(has(features, "plural_subject")) << "it is no fable";
}

TEST(Features, HaveIdsOfTheirOwnAndOneValueAStep)
{
    const auto features = featuresOfText("abc\n\n\"d");
    std::set<std::string> ids;
    for (const Feature& feature : features) {
        EXPECT_TRUE(ids.insert(feature.id).second) << feature.id;
        EXPECT_EQ(feature.values.size(), 7u) << feature.id;
        EXPECT_FALSE(feature.name.empty());
    }
    EXPECT_EQ(flags(named(features, "in_quotes")), "0000011");
}

TEST(Features, AreOfWhatIsAskedAboutWithWhatLiesBefore)
{
    TextSource source;
    source.name = "a.txt";
    source.text = "x\"ab\" x\"ab\" x\"ab\" x\"ab\" ";
    TextOptions options;
    options.steps = 2;
    const auto data = TextDataset::fromSource(std::move(source), options).value();
    ReadSequence read;
    read.tokens = data->encode("x\"ab\" ").value();
    read.steps = 6;
    read.from = 2;
    read.to = 5;
    read.begins = false;
    const auto features = featuresOf(*data, {read, read});
    EXPECT_EQ(flags(named(features, "in_quotes")), "110110") << "opened before";
    EXPECT_TRUE(std::isnan(named(features, "place_in_line").values[0])) << "the line began before the text";
    EXPECT_EQ(named(features, "place_in_word").values[0], 1) << "the quotation mark is no letter";
}

TEST(Features, ATextThatIsCutMayBeginInsideAQuotation)
{
    TextSource source;
    source.name = "a.txt";
    source.text = "so it is,\" he said \"no\". so it is,\" he said \"no\". ";
    TextOptions options;
    options.steps = 2;
    const auto data = TextDataset::fromSource(std::move(source), options).value();
    ReadSequence read;
    read.tokens = data->encode("is,\" said \"no\".").value();
    read.steps = read.to = std::ssize(read.tokens);
    EXPECT_EQ(flags(named(featuresOf(*data, {read}), "in_quotes")), "000111111100011") << "it begins here";
    read.begins = false;
    EXPECT_EQ(flags(named(featuresOf(*data, {read}), "in_quotes")), "111000000011100");
}

struct Fables {
    std::shared_ptr<const TextDataset> data = fableDataset({.characters = 80'000}).value();
    std::string text;
    std::vector<Feature> features;

    Fables()
    {
        ReadSequence read;
        read.tokens = data->beginning(Split::Validation, 6000);
        read.steps = read.to = std::ssize(read.tokens);
        text = data->decode(read.tokens);
        features = featuresOf(*data, {read});
    }
};

/// The sentences of state() as the test of the grammar finds them, beside what the reader of the grammar notes.
TEST(FableFeatures, SubjectsWaitForTheirVerbs)
{
    const Fables fables;
    const std::regex state(
        "he (?:[a-z]+ )?([a-z]+) ((?:of|by) the [a-z]+ |\\([^)]*\\) )?(was|were|is|are) [a-z]+[.,!']");
    const std::string waits = flags(named(fables.features, "subject_waits")),
                      plural = flags(named(fables.features, "plural_subject"));
    int found = 0;
    for (std::sregex_iterator it(fables.text.begin(), fables.text.end(), state), end; it != end; ++it) {
        const auto verb = static_cast<std::size_t>(it->position(3));
        const auto subject = static_cast<std::size_t>(it->position(1) + it->length(1));
        const bool many = (*it)[3] == "were" || (*it)[3] == "are";
        if (plural[verb - 1] == '?')
            continue; // "the fox was sly": an animal's sentence has another rule
        ++found;
        EXPECT_EQ(waits.substr(subject, verb - subject), std::string(verb - subject, '1')) << it->str();
        EXPECT_EQ(waits[verb], '0');
        EXPECT_EQ(plural.substr(subject, verb - subject), std::string(verb - subject, many ? '1' : '0')) << it->str();
    }
    EXPECT_GT(found, 5);
    EXPECT_EQ(std::count(waits.begin(), waits.end(), '1'),
              std::ssize(plural) - std::count(plural.begin(), plural.end(), '?'));
}

TEST(FableFeatures, KnowTheNameThatReturns)
{
    const Fables fables;
    std::smatch title;
    ASSERT_TRUE(std::regex_search(fables.text, title, std::regex("^# ([A-Z][a-z]+) the [a-z]+, ([A-Z][a-z]+) the ")));
    const std::string first = title[1], second = title[2], returns = flags(named(fables.features, "first_returns"));
    const std::size_t end = fables.text.find("\n\n");
    std::size_t known = 0;
    for (std::size_t i = fables.text.find('\n'); i < end; ++i) {
        const std::size_t a = fables.text.find(first, i + 1), b = fables.text.find(second, i + 1);
        const std::size_t next = std::min(a, b);
        const char expected = next >= end ? '?' : a < b ? '1' : '0';
        ASSERT_EQ(returns[i], expected) << i;
        known += expected != '?';
    }
    EXPECT_GT(known, 100u);
}

TEST(FableFeatures, OfPartsOfAFable)
{
    const Fables fables;
    const std::string titles = flags(named(fables.features, "title")), morals = flags(named(fables.features, "moral"));
    const std::string questions = flags(named(fables.features, "question"));
    const std::size_t line = fables.text.find('\n'), moral = fables.text.find("Moral:"), end = fables.text.find("\n\n");
    EXPECT_EQ(titles.substr(0, line + 1), std::string(line, '1') + '0');
    EXPECT_EQ(morals.substr(moral - 1, 3), "011");
    EXPECT_EQ(morals[end + 2], '0') << "the next fable";
    EXPECT_EQ(named(fables.features, "place_in_fable").values[line], static_cast<float>(line));
    EXPECT_EQ(named(fables.features, "place_in_fable").values[end + 2], 0);
    if (const std::size_t mark = fables.text.find('?'); mark != std::string::npos) {
        EXPECT_EQ(questions[mark - 1], '1');
        EXPECT_EQ(questions[mark], '0');
    }
    // A model that knows the grammar loses what the characters tell: their mean is the entropy of the source.
    double nats = 0;
    for (const float value : named(fables.features, "next_tells").values)
        nats += std::isnan(value) ? 0 : static_cast<double>(value);
    EXPECT_NEAR(nats / 6000, *fables.data->entropyExpected(Split::Validation), 0.1);
}

/// Whole-split evaluation's first batch, each sequence for itself.
std::vector<ReadSequence> sequencesOf(const Dataset& data, int64_t count)
{
    const Batch batch = data.evaluationBatch(Split::Validation, 0, count);
    const NumberFacts facts = data.numbers();
    std::vector<ReadSequence> sequences(static_cast<std::size_t>(count));
    for (int64_t b = 0; b < count; ++b) {
        ReadSequence& read = sequences[static_cast<std::size_t>(b)];
        for (int64_t t = 0; t < batch.steps; ++t) {
            const auto at = static_cast<std::size_t>(t * count + b);
            if (!batch.mask.empty() && batch.mask[at] == 0)
                break;
            if (!batch.tokens.empty()) {
                read.tokens.push_back(batch.tokens[at]);
                read.targets.push_back(batch.targets[at]);
            }
            for (int64_t i = 0; i < facts.inputs; ++i)
                read.features.push_back(
                    batch.features[at * static_cast<std::size_t>(facts.inputs) + static_cast<std::size_t>(i)]);
            for (int64_t i = 0; i < facts.targets; ++i)
                read.values.push_back(
                    batch.values[at * static_cast<std::size_t>(facts.targets) + static_cast<std::size_t>(i)]);
            ++read.steps;
        }
        read.to = read.steps;
    }
    return sequences;
}

/// The last step of each sequence asks for the parity.
TEST(TaskFeatures, ParityIsWhatIsAskedFor)
{
    for (const bool published : {false, true}) {
        const auto task = ParityTask::create({.published = published}).value();
        const auto sequences = sequencesOf(*task, 5);
        const Feature parity = named(featuresOf(*task, sequences), "parity");
        int64_t at = 0;
        for (const ReadSequence& read : sequences) {
            at += read.steps;
            EXPECT_EQ(parity.values[static_cast<std::size_t>(at - 1)],
                      static_cast<float>(read.targets.back() - (published ? 1 : 0)));
        }
    }
}

TEST(TaskFeatures, AWordProblemHasAnIndicatorForEachElement)
{
    const auto task = WordProblemTask::create({.group = "s3", .length = 8, .validationLength = 20}).value();
    const auto sequences = sequencesOf(*task, 10);
    const auto features = featuresOf(*task, sequences);
    std::size_t at = 0;
    for (const ReadSequence& read : sequences)
        for (int64_t t = 0; t < read.steps; ++t, ++at)
            for (int32_t element = 0; element < 6; ++element)
                ASSERT_EQ(named(features, "product_" + task->alphabet()[static_cast<std::size_t>(element)]).values[at],
                          read.targets[static_cast<std::size_t>(t)] == element ? 1 : 0);
}

TEST(TaskFeatures, CountingKnowsTheCountAndTheLastOne)
{
    const auto task = CountingTask::create({.validationShortest = 2, .validationLongest = 2}).value();
    const auto features = featuresOf(*task, sequencesOf(*task, 1)); // < a a b b
    EXPECT_THAT(named(features, "count").values, ElementsAre(0, 1, 2, 1, 0));
    EXPECT_THAT(named(features, "last_one").values, ElementsAre(0, 0, 0, 0, 1));
}

TEST(TaskFeatures, CopyLooksBack)
{
    const auto task = CopyTask::create({.symbols = 3, .length = 4, .delay = 5}).value();
    const auto sequences = sequencesOf(*task, 3);
    const auto features = featuresOf(*task, sequences);
    std::size_t at = 0;
    for (const ReadSequence& read : sequences)
        for (int64_t t = 0; t < read.steps; ++t, ++at) {
            EXPECT_EQ(named(features, "tells").values[at], t >= 9 ? 1 : 0);
            if (t >= 9) {
                EXPECT_EQ(named(features, "back_9_a").values[at],
                          read.targets[static_cast<std::size_t>(t)] == 0 ? 1 : 0);
            } else {
                EXPECT_TRUE(std::isnan(named(features, "back_9_a").values[at]));
            }
        }
}

TEST(TaskFeatures, RecallKnowsKeysValuesAndWhatIsAsked)
{
    const auto task = RecallTask::create({.vocabulary = 16, .pairs = 2, .length = 16}).value();
    const auto sequences = sequencesOf(*task, 20);
    const auto features = featuresOf(*task, sequences);
    std::size_t at = 0;
    for (const ReadSequence& read : sequences)
        for (int64_t t = 0; t < read.steps; ++t, ++at) {
            EXPECT_EQ(named(features, "value").values[at], t == 1 || t == 3 ? 1 : 0);
            EXPECT_EQ(named(features, "asked").values[at], read.targets[static_cast<std::size_t>(t)] >= 0 ? 1 : 0);
        }
}

/// A column without a name is numbered where there are several.
TEST(TaskFeatures, TargetsAreNamedOnce)
{
    const auto adding = AddingTask::create({}).value();
    EXPECT_EQ(named(featuresOf(*adding, sequencesOf(*adding, 2)), "target_target 1").name, "the target");
    const auto vectors = VectorCopyTask::create({}).value();
    EXPECT_EQ(named(featuresOf(*vectors, sequencesOf(*vectors, 2)), "target_target 2").name, "target 2");
}

TEST(TaskFeatures, AddingKnowsTheSumAndVectorsLookBack)
{
    const auto task = AddingTask::create({.length = 9}).value();
    const auto sequences = sequencesOf(*task, 4);
    const auto features = featuresOf(*task, sequences);
    for (std::size_t b = 0; b < sequences.size(); ++b)
        EXPECT_EQ(named(features, "sum").values[b * 9 + 8], sequences[b].values.back());
    const auto vectors = VectorCopyTask::create({.bits = 2, .length = 3, .delay = 2}).value();
    const auto read = sequencesOf(*vectors, 2);
    const auto back = named(featuresOf(*vectors, read), "back_5_bit_2");
    for (std::size_t b = 0; b < read.size(); ++b)
        for (std::size_t t = 5; t < 8; ++t)
            EXPECT_EQ(back.values[b * 8 + t], read[b].values[t * 2 + 1]);
}

} // namespace
} // namespace unroll
