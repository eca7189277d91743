// SPDX-License-Identifier: GPL-3.0-or-later
// Files as they are published, made small; texts that are read from disk; words.
#include "core/base/sha256.h"
#include "core/data/prepared_tokens.h"
#include "core/data/test_texts.h"
#include "core/data/text_survey.h"
#include "core/data/word_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_texts::opened;
using testing_texts::refused;

class LargeTexts : public testing_texts::TextFiles {};

std::string longText()
{
    std::string text;
    for (int i = 0; i < 3000; ++i)
        text += "line " + std::to_string(i * 7919 % 1000) + " of a t\u00EBxt\r\n";
    return text;
}

/// Everything that a run sees.
void expectAlike(const TextDataset& a, const TextDataset& b)
{
    EXPECT_EQ(a.classes(), b.classes());
    EXPECT_EQ(a.contentHash(), b.contentHash());
    EXPECT_EQ(a.describe(), b.describe());
    EXPECT_EQ(a.notices(), b.notices());
    for (const int64_t step : {0, 1, 5, 17})
        EXPECT_EQ(a.batch(Split::Train, step, 3, 7), b.batch(Split::Train, step, 3, 7));
    for (const Split split : {Split::Validation, Split::Test, Split::All})
        for (int64_t i = 0; i < a.batchesInSplit(split, 2); ++i)
            EXPECT_EQ(a.evaluationBatch(split, i, 2), b.evaluationBatch(split, i, 2));
    EXPECT_EQ(a.stretch(Split::All, 11, 50), b.stretch(Split::All, 11, 50));
    EXPECT_EQ(a.beginning(Split::Test, 40), b.beginning(Split::Test, 40));
    EXPECT_EQ(a.ngrams().validation, b.ngrams().validation);
}

// The same text in memory and on disk is the same data, in every unit and order.
TEST_F(LargeTexts, FromDiskAreTheSameAsInMemory)
{
    const auto file = write("a.txt", longText());
    for (const TextUnit unit : {TextUnit::Character, TextUnit::Byte, TextUnit::Word})
        for (const ReadingOrder order : {ReadingOrder::Streams, ReadingOrder::Windows}) {
            TextOptions options{.file = file, .testFraction = 0.1, .unit = unit, .order = order, .steps = 16};
            const auto memory = opened(options);
            options.memoryLimit = 1;
            const auto disk = opened(options);
            ASSERT_TRUE(memory && disk);
            EXPECT_TRUE(memory->tokens().inMemory() != nullptr);
            EXPECT_TRUE(disk->tokens().inMemory() == nullptr);
            expectAlike(*memory, *disk);
            expectAlike(*opened(options), *disk); // what was prepared before
        }
}

TEST_F(LargeTexts, ArePreparedOnceUnderANameThatTheirContentGives)
{
    const TextOptions options{.file = write("a.txt", longText()), .steps = 16, .memoryLimit = 1};
    opened(options);
    const std::filesystem::directory_iterator first(preparedFolder());
    const auto written = std::filesystem::last_write_time(first->path());
    TextOptions other = options;
    other.file = write("b.txt", longText());
    opened(other);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(preparedFolder()), {}), 1);
    EXPECT_EQ(std::filesystem::last_write_time(first->path()), written);
    other.file = write("b.txt", longText() + "!");
    opened(other);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(preparedFolder()), {}), 2);
}

/// Whatever the next run reads; the file of one that is still preparing stays.
TEST_F(LargeTexts, WhatAKilledRunLeftIsRemovedByTheNext)
{
    const auto left = write("prepared/.unroll-0123456789abcdef.tmp", std::string(1000, 'x'));
    auto other = format::AtomicFile::create(m_folder / "prepared/b.safetensors").value();
    write("prepared/.unroll-0123456789abcdef.tmp", std::string(1000, 'x')); // create() sweeps, too
    opened({.file = write("a.txt", longText()), .steps = 16});
    EXPECT_FALSE(std::filesystem::exists(left));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(preparedFolder()), {}), 1) << "the other's";
    EXPECT_TRUE(other.commit());
}

TEST_F(LargeTexts, AFileThatShrinksEndsTheRunWithItsName)
{
    const auto file = write("a.txt", longText());
    const auto data = opened({.file = file, .unit = TextUnit::Byte, .steps = 16, .memoryLimit = 1});
    std::filesystem::resize_file(file, 100);
    try {
        data->batch(Split::Train, 1, 4, 1);
        FAIL() << "a batch of nothing";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("a.txt"));
    }
}

// Pieces are cut where characters end, whatever lies at the cut.
TEST_F(LargeTexts, PiecesEndWithCharacters)
{
    std::string text;
    while (text.size() < (1 << 20) - 1)
        text += "x";
    for (const std::string across :
         {"\u00EB!", "\u20AC!", "\U0001F98A!", "\r\n", "\xE2\x28", "\xF0\x9F\xA6", "\x80\x80"}) {
        const auto file = write("a.txt", text + across + "rest of the text, which goes on for a while");
        TextOptions options{.file = file, .steps = 4};
        const auto data = opened(options);
        const std::string read = data->decode(data->tokens().slice((1 << 20) - 3, 12));
        std::string whole;
        for (size_t i = 0; i < across.size(); ++i)
            whole += across[i] == '\r' ? "" : across.substr(i, 1);
        const auto alone =
            opened({.file = write("b.txt", "x" + across + "rest of the text, which goes on"), .steps = 4});
        EXPECT_THAT(read, HasSubstr(alone->decode(alone->tokens().slice(0, 6)))) << across;
    }
}

TEST_F(LargeTexts, Enwik8IsDividedAsItsPapersDo)
{
    std::string text;
    for (int i = 0; i < 1000; ++i)
        text += "<page> a\n ";
    const auto file = zip("enwik8.zip", {{"enwik8", text}});
    const auto data = opened({.file = file, .unit = TextUnit::Byte, .steps = 8});
    EXPECT_EQ(data->tokensIn(Split::Train), 9000);
    EXPECT_EQ(data->tokensIn(Split::Validation), 500);
    EXPECT_EQ(data->tokensIn(Split::Test), 500);
    EXPECT_THAT(data->notices(),
                Contains(HasSubstr("enwik8 is published with 100,000,000 bytes; this file has 10,000")));
    EXPECT_EQ(data->contentHash(), sha256(text));
    const auto raw = opened({.file = write("enwik8", text), .unit = TextUnit::Byte, .steps = 8});
    EXPECT_EQ(raw->batch(Split::Train, 3, 2, 1), data->batch(Split::Train, 3, 2, 1));
    const auto cut = opened({.file = file, .split = TextSplit::Fractions, .unit = TextUnit::Byte, .steps = 8});
    EXPECT_EQ(cut->tokensIn(Split::Validation), 1000);
    EXPECT_FALSE(cut->has(Split::Test));
    for (const auto& path : {file, m_folder / "enwik8"}) { // who divides it elsewhere, divides it there
        const auto survey = surveyText(path, {}).value().value();
        EXPECT_EQ(survey.bytes->training, 9000) << path;
        EXPECT_EQ(survey.bytes->validation, 9500) << path;
        EXPECT_EQ(survey.notes.back().sentence, "enwik8 is published with 100,000,000 bytes; this file has 10,000: "
                                                "results are not comparable.");
        EXPECT_TRUE(survey.notes.back().warning);
    }
    EXPECT_FALSE(surveyText(write("other.txt", text), {}).value()->bytes);
    EXPECT_FALSE(surveyText(write("TinyStories-train.txt", text), {}).value()->bytes) << "has files for its parts";
    EXPECT_EQ(divided(100'000'000, 0.05, 0.05).training, 90'000'000);
    EXPECT_EQ(divided(100'000'000, 0.05, 0.05).validation, 95'000'000);
}

TEST(PublishedTexts, SayWhetherTheyAreWhatTheirAuthorsPublished)
{
    const PublishedText* text = publishedAs("enwik8");
    ASSERT_NE(text, nullptr);
    EXPECT_EQ(publishedAs("enwik8.txt"), text);
    EXPECT_EQ(publishedAs("my enwik8"), nullptr);
    EXPECT_TRUE(comparePublished(*text, 100'000'000, std::string(text->sha256)).same);
    EXPECT_THAT(comparePublished(*text, 100'000'000, "00").sentence, HasSubstr("SHA-256 differs"));
    // 90, 5 and 5 million bytes.
    const auto [training, end] = divided(100'000'000, text->validation, text->test);
    EXPECT_EQ(training, 90'000'000);
    EXPECT_EQ(end, 95'000'000);
}

TEST_F(LargeTexts, WikiTextHasItsPartsInFilesOfItsArchiveOrFolder)
{
    const std::string train = " \n = A = \n \n the cat sat on the mat and <unk> the cat \n", valid = " the dog sat \n",
                      test = " a mat \n";
    const auto archive = zip("wikitext-103-v1.zip", {{"wikitext-103/", ""},
                                                     {"wikitext-103/wiki.test.tokens", test},
                                                     {"wikitext-103/wiki.valid.tokens", valid},
                                                     {"wikitext-103/wiki.train.tokens", train}});
    write("folder/wiki.test.tokens", test);
    write("folder/wiki.valid.tokens", valid);
    write("folder/wiki.train.tokens", train);
    for (const auto& path : {archive, m_folder / "folder", m_folder / "folder/wiki.train.tokens"}) {
        const auto data = opened({.file = path, .unit = TextUnit::Word, .steps = 4});
        // <unk>, <eos>, the 3, cat 2, = 2, A, and, mat, on, sat
        EXPECT_EQ(data->classes(), 10);
        EXPECT_EQ(data->tokensIn(Split::Train), 17);
        EXPECT_EQ(data->tokensIn(Split::Validation), 4);
        EXPECT_EQ(data->decode(data->beginning(Split::Validation, 9)), "the <unk> sat\n");
        EXPECT_EQ(data->decode(data->beginning(Split::Test, 9)), "<unk> mat\n");
        EXPECT_THAT(data->notices(), Contains(HasSubstr("1 of 17 words of the training part (5.88 %) are <unk>")));
    }
    EXPECT_THAT(opened({.file = archive, .unit = TextUnit::Word, .steps = 4})->notices(),
                Contains(HasSubstr("WikiText-103 is published with 190,229,076 bytes")));
    const auto few = opened({.file = archive, .unit = TextUnit::Word, .steps = 4, .vocabularyLimit = 4});
    EXPECT_THAT(few->alphabet(), ElementsAre("<unk>", "<eos>", "the", "="));
}

TEST_F(LargeTexts, TinyStoriesHasItsValidationBesideIt)
{
    std::string story = "Once there was a cat.\n<|endoftext|>\n";
    const auto file = write("TinyStories-train.txt", story + story + story);
    write("TinyStories-valid.txt", story);
    const auto data = opened({.file = file, .steps = 8});
    EXPECT_EQ(data->tokensIn(Split::Train), std::ssize(story) * 3);
    EXPECT_EQ(data->tokensIn(Split::Validation), std::ssize(story));
    EXPECT_THAT(data->notices(), Contains(HasSubstr("TinyStories-valid.txt, beside the training text")));
    const auto cut = opened({.file = file, .split = TextSplit::Fractions, .steps = 8});
    EXPECT_LT(*cut->tokensIn(Split::Train), std::ssize(story) * 3);
}

TEST_F(LargeTexts, JsonLinesAreReadByAField)
{
    const auto file =
        write("a.jsonl", "{\"id\": 1, \"text\": \"first \\u00e9\"}\r\n\n{\"text\": \"second\", \"id\": 2}\n");
    const auto data = opened({.file = file, .field = "text", .validationFraction = 0.4, .steps = 4});
    EXPECT_EQ(data->decode(data->tokens().slice(0, data->tokens().size())), "first \u00E9\nsecond\n");
    EXPECT_THAT(refused({.file = file, .field = "body"}),
                HasSubstr("a.jsonl: line 1: has no field body; it has id, text"));
    EXPECT_THAT(refused({.file = file, .field = "id"}),
                HasSubstr("line 1: the field id is a number; expected a string"));
    EXPECT_THAT(refused({.file = write("b.jsonl", "{\"text\": \"a\"}\n{\"text\": \n"), .field = "text"}),
                HasSubstr("b.jsonl: line 2: is not a JSON object"));
    EXPECT_THAT(refused({.file = write("c.jsonl", "{\"text\": \"a\"}\n[1]\n"), .field = "text"}),
                HasSubstr("c.jsonl: line 2: expected a JSON object; it is"));
}

TEST_F(LargeTexts, WhatCannotBeReadIsSaid)
{
    EXPECT_THAT(refused({.file = write("a.parquet", "PAR1 and more")}),
                HasSubstr("is a Parquet file: unroll-cli prepare"));
    const auto archive = zip("a.zip", {{"one.txt", "aaaa"}, {"two.txt", "bbbb"}});
    EXPECT_THAT(refused({.file = archive}), HasSubstr("contains 2 texts, none of them called train"));
    EXPECT_THAT(refused({.file = zip("none.zip", {})}), HasSubstr("contains no text"));
    std::string bytes = contentOf(archive);
    EXPECT_THAT(refused({.file = write("short.zip", bytes.substr(0, bytes.size() - 30))}),
                HasSubstr("may not have been downloaded completely"));
    const auto good = zip("b.zip", {{"one.txt", std::string(100, 'a')}});
    bytes = contentOf(good);
    bytes[60] = 'b';
    EXPECT_THAT(refused({.file = write("flipped.zip", bytes)}),
                HasSubstr("flipped.zip/one.txt: is damaged: its checksum"));
    std::filesystem::create_directories(m_folder / "empty");
    EXPECT_THAT(refused({.file = m_folder / "empty"}), HasSubstr("contains no text"));
    EXPECT_THAT(refused({.file = write("x.safetensors", "no header at all")}), HasSubstr("x.safetensors"));
}

/// Codes of the warnings.
std::vector<std::string> warningsOf(const TextDataset& data)
{
    std::vector<std::string> codes;
    for (const DataNote& note : data.notes())
        if (note.warning)
            codes.push_back(note.code);
    return codes;
}

TEST_F(LargeTexts, AFileThatIsNoTextIsNotReadAsOne)
{
    const std::string filling(2000, 'x');
    const std::vector<std::pair<std::string, const char*>> files{
        {"\x1F\x8B\x08" + filling, "is compressed with gzip: unpack it first"},
        {"BZh9" + filling, "is compressed with bzip2"},
        {"%PDF-1.7\n" + filling, "is a PDF"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12345\n" + filling, "is a Git LFS pointer"},
        {"a.txt" + std::string(252, 'x') + "ustar" + filling, "is a tar archive"},
    };
    for (const auto& [bytes, words] : files) {
        const auto file = write("a.txt", bytes);
        EXPECT_THAT(refused({.file = file, .steps = 4}), HasSubstr(words));
        EXPECT_THAT(refused({.file = file, .unit = TextUnit::Word, .steps = 4}), HasSubstr(words));
        EXPECT_THAT(refused({.file = zip("a.zip", {{"a.txt", bytes}}), .steps = 4}), HasSubstr(words));
        EXPECT_THAT(warningsOf(*opened({.file = file, .unit = TextUnit::Byte, .steps = 4})), ElementsAre("no-text"));
    }
    const auto page = write("page.html", "<!DOCTYPE html>\n<p>" + filling);
    EXPECT_THAT(warningsOf(*opened({.file = page, .steps = 4})), ElementsAre("no-text"));
}

/// Who divides a text into tokens elsewhere hears what the Text block says of it.
TEST_F(LargeTexts, ASurveySaysWhatTheTextBlockDoes)
{
    const auto refusal = [](const std::filesystem::path& file, const std::string& field) {
        const auto survey = surveyText(file, field);
        return survey ? std::string("read") : survey.error().text();
    };
    EXPECT_THAT(refusal(write("a.txt", "\x1F\x8B\x08" + std::string(2000, 'x')), {}),
                HasSubstr("a.txt: is compressed"));
    EXPECT_THAT(refusal(write("b.txt", "\xFF\xFEh\0i\0"), {}), HasSubstr("b.txt: is UTF-16"));
    EXPECT_THAT(refusal(write("c.txt", "text"), "body"), HasSubstr("c.txt: has no field body: only JSON Lines"));
    EXPECT_THAT(refusal(write("d.jsonl", "{\"text\": \"a\"}\n{\"text\": 1}\n"), {}),
                HasSubstr("d.jsonl: line 2: the field text is a number"));
    const auto odd = surveyText(write("e.txt", "\xEF\xBB\xBFone\r\n\xFFtwo"), {}).value().value();
    ASSERT_EQ(odd.notes.size(), 3);
    EXPECT_THAT(odd.notes[0].sentence, HasSubstr("byte order mark: left out"));
    EXPECT_THAT(odd.notes[1].sentence,
                testing::EndsWith("e.txt is not UTF-8 in 1 place, first at byte 8: read as U+FFFD there."));
    EXPECT_THAT(odd.notes[2].sentence, HasSubstr("1 Windows line end (CR LF): read as LF"));
    EXPECT_TRUE(surveyText(write("f.jsonl", "{\"body\": \"a\"}\n"), "body").value()->records);
    EXPECT_FALSE(surveyText(write("g.parquet", "PAR1 and more"), {}).value()) << "for another program to read";
}

TEST_F(LargeTexts, AFieldIsAskedOfJsonLinesAlone)
{
    const std::string line = "{\"text\": \"some words of a record\"}\n";
    const auto records = write("a.jsonl", line + line + line + line);
    const auto plain = write("a.txt", std::string(200, 'a'));
    const char* only = "text_field is text, and only JSON Lines have fields";
    EXPECT_THAT(refused({.file = plain, .field = "text", .steps = 4}), HasSubstr(only));
    EXPECT_THAT(refused({.file = zip("a.zip", {{"a.txt", line}}), .field = "text", .steps = 4}), HasSubstr(only));
    EXPECT_THAT(refused({.file = records, .field = "text", .validationFile = plain, .steps = 4}), HasSubstr(only));
    EXPECT_THAT(warningsOf(*opened({.file = records, .steps = 4})), ElementsAre("text-field"));
    EXPECT_THAT(warningsOf(*opened({.file = plain, .validationFile = records, .steps = 4})), ElementsAre("text-field"));
    EXPECT_THAT(warningsOf(*opened({.file = records, .field = "text", .steps = 4})), testing::IsEmpty());
}

TEST_F(LargeTexts, ATrainedModelReadsOthersByItsWords)
{
    const auto trained = opened({.file = write("a.txt", "a b a c a b\n a b c\n"),
                                 .validationFraction = 0.3,
                                 .unit = TextUnit::Word,
                                 .steps = 2});
    const auto other = opened({.file = write("b.txt", "b z a\n c b a a"),
                               .validationFraction = 0.3,
                               .toTrain = false,
                               .unit = TextUnit::Word,
                               .steps = 2,
                               .words = trained->alphabet()});
    EXPECT_EQ(other->alphabet(), trained->alphabet());
    EXPECT_EQ(other->decode(other->tokens().slice(0, 5)), "b <unk> a\nc");
    EXPECT_THAT(other->notices(), ElementsAre("1 of 8 words (12.50 %) are <unk>, which stands for all words that the "
                                              "vocabulary of 5 lacks."));
    EXPECT_THAT(other->unknownWords("a z y"), ElementsAre("z", "y"));
    EXPECT_EQ(refused({.file = m_folder / "b.txt", .unit = TextUnit::Word, .words = {"a", "b"}}),
              "unit: the model was not trained on words");
}

TEST_F(LargeTexts, TokensThatWerePreparedElsewhereAreReadAsTheyAre)
{
    const auto file = m_folder / "a.safetensors";
    const auto make = [&](const std::string& vocabulary, const std::string& counts, int64_t classes) {
        auto writer =
            TokenWriter::create(file, 12, classes, {{"vocabulary", vocabulary}, {"counts", counts}, {"hash", "h"}})
                .value();
        for (uint32_t i = 0; i < 12; ++i)
            writer.add(i % 3);
        EXPECT_TRUE(writer.finish());
    };
    for (const int64_t classes : {3, 300, 70'000}) {
        make(R"(["a"," \u00c3","\u00a9\n"])", "[8,4,0]", classes);
        const auto data = opened({.file = file, .steps = 2});
        EXPECT_EQ(data->classes(), 3);
        EXPECT_EQ(data->tokensIn(Split::Validation), 4);
        EXPECT_EQ(data->decode({0, 1, 2}), "a \u00E9\n");
        EXPECT_EQ(data->tokens().slice(6, 3), (std::vector<int32_t>{0, 1, 2}));
        EXPECT_EQ(data->contentHash(), "h");
        EXPECT_THAT(data->describe(), HasSubstr("12 tokens, 3 different; 8 for training, 4 for validation"));
        EXPECT_THAT(data->evaluationText(Split::Validation),
                    HasSubstr("tokens 2 to 4 of 4 of the validation part of " + file.string() + ", "));
        EXPECT_THAT(warningsOf(*data), testing::IsEmpty());
        const auto set = opened({.file = file, .validationFraction = 0.3, .unit = TextUnit::Byte, .steps = 2});
        EXPECT_THAT(warningsOf(*set), ElementsAre("no-effect", "no-effect"));
        EXPECT_THAT(set->notices(),
                    ElementsAre(HasSubstr("unit has no effect"),
                                "validation_fraction has no effect: the file of prepared tokens has such a part of its "
                                "own."));
    }
    make(R"(["a","b","c"])", "[12,0,0]", 3);
    EXPECT_THAT(warningsOf(*opened({.file = file, .validationFraction = 0.3, .steps = 2})), testing::IsEmpty())
        << "it cuts the one text";
    make(R"(["a","b"])", "[8,4,0]", 3);
    EXPECT_THAT(refused({.file = file, .steps = 2}), HasSubstr("token 3 is number 2, and the vocabulary has 2"));
    make(R"(["a","b","c"])", "[8,3,0]", 3);
    EXPECT_THAT(refused({.file = file, .steps = 2}), HasSubstr("is damaged"));
}

} // namespace
} // namespace unroll
