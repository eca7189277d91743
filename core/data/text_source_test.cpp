// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/base/utf8.h"
#include "core/data/text_dataset.h"
#include "core/data/text_file.h"
#include "tests/support/plain_user.h"
#include "tests/support/test_folder.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/stat.h>
#include <unistd.h>

namespace unroll {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::string_literals;

class TextFiles : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& bytes) const
    {
        std::ofstream(m_folder / name, std::ios::binary) << bytes;
        return m_folder / name;
    }

    TestFolder m_folder;
};

LoadedText load(const std::string& text, const TextOptions& options = {})
{
    TextSource source;
    source.name = "a.txt";
    source.text = text;
    return loadText(source, options).value();
}

Error refusal(const std::string& text, const TextOptions& options = {})
{
    TextSource source;
    source.name = "a.txt";
    source.text = text;
    const Result<LoadedText> loaded = loadText(source, options);
    return loaded ? Error{"accepted", ""} : loaded.error();
}

std::vector<int32_t> tokensOf(const LoadedText& loaded)
{
    return loaded.tokens.slice(0, loaded.tokens.size());
}

std::string whole(const LoadedText& loaded)
{
    return loaded.vocabulary->decode(tokensOf(loaded));
}

const Tokenizer& tokenizerOf(const LoadedText& loaded)
{
    return dynamic_cast<const Tokenizer&>(*loaded.vocabulary);
}

/// One character a class, in order.
std::string alphabetOf(const Tokenizer& tokenizer)
{
    std::vector<int32_t> tokens(static_cast<size_t>(tokenizer.classes()));
    std::iota(tokens.begin(), tokens.end(), 0);
    return tokenizer.written(tokens, true);
}

TEST(Sha256, GivesTheStandardsDigests)
{
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(NumberText, ReadsWell)
{
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1115394), "1,115,394");
    EXPECT_EQ(grouped(-123456), "-123,456");
    EXPECT_EQ(counted(1, "byte"), "1 byte");
    EXPECT_EQ(counted(2000, "byte"), "2,000 bytes");
    EXPECT_EQ(sizeText(1'115'394), "1.1 MB");
}

// Unicode 15, section 3.9: one U+FFFD for each maximal ill-formed part.
TEST(Utf8, ReplacesMaximalParts)
{
    const std::string r = "\uFFFD";
    EXPECT_EQ(repairedUtf8("a\xC0\xAF"), "a" + r + r);                                              // overlong
    EXPECT_EQ(repairedUtf8("\xE0\x80\xAF"), r + r + r);                                             // overlong in three
    EXPECT_EQ(repairedUtf8("\xED\xA0\x80"), r + r + r);                                             // a lone surrogate
    EXPECT_EQ(repairedUtf8("\xF4\x91\x92\x93\xFF\x41\x80\x42"), r + r + r + r + r + "A" + r + "B"); // table 3-10
    EXPECT_EQ(repairedUtf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");           // table 3-11
    EXPECT_EQ(repairedUtf8("\xF0\x9F\xA6"), r); // cut short by the end
    EXPECT_EQ(repairedUtf8("z\u00DF\u6C34\U0001F98A"), "z\u00DF\u6C34\U0001F98A");
}

TEST(Utf8, EveryCodePointComesBack)
{
    for (char32_t point = 0; point < 0x110000; ++point) {
        std::string bytes;
        appendUtf8(bytes, point);
        const DecodedCharacter decoded = decodeUtf8(bytes, 0);
        const bool surrogate = point >= 0xD800 && point < 0xE000;
        ASSERT_EQ(decoded.valid, !surrogate);
        ASSERT_TRUE(surrogate || (decoded.point == point && decoded.length == bytes.size()));
    }
}

TEST(Text, AlphabetIsSortedAndComplete)
{
    const LoadedText loaded = load("hello, w\u00F6rld\n");
    EXPECT_EQ(alphabetOf(tokenizerOf(loaded)), "\n ,dehlorw\u00F6");
    EXPECT_EQ(loaded.preview.alphabet.front(), "\u21B5");
    EXPECT_EQ(whole(loaded), "hello, w\u00F6rld\n");
    EXPECT_EQ(loaded.preview.characters, 13);
    EXPECT_EQ(loaded.preview.bytes, 14);
}

TEST(Text, BadUtf8IsReplacedCountedAndReported)
{
    const LoadedText loaded = load("ab\xFF\x63\xE2\x28");
    EXPECT_EQ(whole(loaded), "ab\uFFFDc\uFFFD(");
    EXPECT_THAT(loaded.preview.notices, Contains(HasSubstr("a.txt is not UTF-8 in 2 places, first at byte 2")));
}

TEST(Text, WindowsLineEndsMarkAndNulsAreReported)
{
    const LoadedText loaded = load("\xEF\xBB\xBFone\r\ntwo\r\nth\0ree\r"s);
    EXPECT_EQ(whole(loaded), "one\ntwo\nth\0ree\r"s);
    EXPECT_THAT(loaded.preview.notices, ElementsAre(HasSubstr("byte order mark: left out"),
                                                    HasSubstr("2 Windows line ends (CR LF): read as LF"),
                                                    HasSubstr("1 NUL character, first at byte 15: kept"), testing::_));
}

TEST(Text, BytesAreExact)
{
    std::string all = "\xEF\xBB\xBF\r\n";
    for (int i = 0; i < 256; ++i)
        all += static_cast<char>(i);
    const LoadedText loaded = load(all, {.unit = TextUnit::Byte});
    ASSERT_EQ(loaded.tokens.size(), std::ssize(all));
    for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(tokensOf(loaded)[i], static_cast<unsigned char>(all[i]));
    EXPECT_EQ(loaded.vocabulary->classes(), 256);
    EXPECT_EQ(loaded.preview.alphabet.size(), 256u);
    EXPECT_THAT(loaded.preview.notices, Contains(HasSubstr("1 Windows line end (CR LF): kept")));
}

TEST(Text, NothingToSayOfAnOrdinaryText)
{
    EXPECT_THAT(load("plain plain plain plain plain plain").preview.notices, IsEmpty());
}

TEST(Text, UnseenValidationCharactersAreReported)
{
    const LoadedText loaded = load(std::string(90, 'a') + std::string(8, 'b') + "cd");
    EXPECT_THAT(loaded.preview.notices,
                ElementsAre("The validation part contains 3 characters that never occur in the training part."));
}

TEST(Text, IsCutWhereTheFractionSays)
{
    const LoadedText loaded = load(std::string(1005, 'a'));
    EXPECT_EQ(loaded.preview.training, 904);
    EXPECT_EQ(loaded.training.count, 903);
    EXPECT_EQ(loaded.validation.first, 904);
    EXPECT_EQ(loaded.validation.count, 101);
    EXPECT_EQ(load(std::string(1000, 'a'), {.validationFraction = 0.25}).preview.training, 750);
}

TEST(Text, RefusesWhatIsNone)
{
    EXPECT_EQ(refusal("").text(), "a.txt: is empty");
    EXPECT_EQ(refusal("\xEF\xBB\xBF").text(), "a.txt: contains only a byte order mark");
    EXPECT_THAT(refusal("\xFF\xFEh\0i\0"s).message, HasSubstr("UTF-16"));
    EXPECT_EQ(refusal("abc", {.validationFraction = 0}).place, "validation_fraction");
    EXPECT_EQ(refusal("abc", {.validationFraction = 1}).place, "validation_fraction");
    EXPECT_EQ(refusal("abc", {.validationFraction = std::nan("")}).place, "validation_fraction");
}

TEST(Text, RefusesAlphabetsBeyondSixteenBits)
{
    std::string text;
    for (char32_t point = 0x10000; point < 0x10000 + 65'537; ++point)
        appendUtf8(text, point);
    EXPECT_THAT(refusal(text).message, HasSubstr("65,537 different characters"));
    text.resize(text.size() - 4);
    EXPECT_EQ(whole(load(text)), text);
}

TEST(Text, TakesATrainedModelsAlphabet)
{
    const LoadedText loaded = load("abba", {.alphabet = "ba\u00E9"});
    EXPECT_THAT(tokensOf(loaded), ElementsAre(1, 0, 0, 1));
    EXPECT_EQ(alphabetOf(tokenizerOf(loaded)), "ba\u00E9");
    EXPECT_EQ(
        refusal("abcd\u00FC", {.alphabet = "ab"}).text(),
        "a.txt: contains 'c' (U+0063), 'd' (U+0064), '\u00FC' (U+00FC), which is not in the alphabet of 2 characters");
    EXPECT_THAT(refusal("ab", {.alphabet = "aba"}).message, HasSubstr("twice"));
    EXPECT_THAT(refusal("ab", {.alphabet = "a\xFF"}).message, HasSubstr("not UTF-8"));
}

TEST(Text, EncodesPromptsOrNamesWhatIsMissing)
{
    const LoadedText loaded = load("abc\n");
    EXPECT_THAT(loaded.vocabulary->encode("c\r\nab").value(), ElementsAre(3, 0, 1, 2));
    const Result<std::vector<int32_t>> refused = loaded.vocabulary->encode("ab\u00E9");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text(), "character 3: '\u00E9' (U+00E9) is not in the alphabet of 4 characters");
}

TEST(Text, BytesDecodeToValidUtf8)
{
    const Tokenizer tokenizer = Tokenizer::ofBytes();
    EXPECT_EQ(tokenizer.decode({0xC3, 0xA9, 0xC3}), "\u00E9\uFFFD");
    EXPECT_EQ(tokenizer.decode(tokenizer.encode("f\u00FCchse").value()), "f\u00FCchse");
}

TEST_F(TextFiles, AreReadWhole)
{
    const auto file = write("with space \u00E9.txt", "some text\r\n");
    EXPECT_EQ(readFile(file, 1000).value(), "some text\r\n");
}

TEST_F(TextFiles, ThatCannotBeReadAreNamed)
{
    const auto failure = [](const std::filesystem::path& file, uint64_t limit = 1 << 20) {
        const Result<std::string> read = readFile(file, limit, 3);
        return read ? "accepted" : read.error().text();
    };
    EXPECT_THAT(failure(m_folder / "none.txt"), HasSubstr("none.txt: cannot read: No such file"));
    EXPECT_THAT(failure(m_folder.path()), HasSubstr("is a folder"));
    EXPECT_THAT(failure("/dev/zero"), HasSubstr("not an ordinary file"));
    EXPECT_THAT(failure(write("empty", "")), HasSubstr("empty: is empty"));
    EXPECT_EQ(failure(""), "no file is given");
    ASSERT_EQ(mkfifo((m_folder / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(failure(m_folder / "pipe"), HasSubstr("not an ordinary file"));
}

TEST_F(TextFiles, WithoutPermissionAreNamed)
{
    const auto file = write("secret", "text");
    std::filesystem::permissions(file, std::filesystem::perms::none);
    const PlainUser user(m_folder.path());
    const Result<std::string> read = readFile(file, 1000);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().text(), HasSubstr("Permission denied"));
}

TEST_F(TextFiles, LargerThanMemoryAreRefusedUnread)
{
    const auto file = write("huge.csv", "x");
    std::filesystem::resize_file(file, uint64_t{200} << 30); // sparse
    EXPECT_THAT(readFile(file, uint64_t{8} << 30, 3).error().text(),
                HasSubstr("huge.csv: has 214.7 GB; reading it needs about 644.2 GB of memory, but 8.6 GB are free"));
    std::filesystem::resize_file(file, 1'000'000'000);
    EXPECT_THAT(readFile(file, uint64_t{64} << 30, 3).error().text(),
                HasSubstr("the limit is 1.5 GB: use a part of at most 500.0 MB"));
}

TEST_F(TextFiles, PreviewNeedsNoWindow)
{
    const auto previewOf = [](const TextOptions& options) {
        return loadText(readSource(options).value(), options).value().preview;
    };
    const TextPreview preview = previewOf({.file = write("tiny", "abc")});
    EXPECT_EQ(preview.characters, 3);
    EXPECT_EQ(preview.training, 2);
    EXPECT_EQ(preview.validation, 1);
    EXPECT_EQ(preview.beginning, "abc");
    EXPECT_EQ(preview.hash, sha256("abc"));
    EXPECT_EQ(preview.recognised, "");
    EXPECT_EQ(previewOf({.file = write("one", "a")}).training, 0);
    EXPECT_FALSE(readSource({.file = m_folder / "none"}));
}

/// The vocabulary lacks none of what a file has as <unk>, as WikiText does.
TEST(LoadedWords, UnknownWordsOfTheTextItselfAreToldFromThoseThatTheVocabularyLacks)
{
    const TextOptions options{.validationFraction = 0.5, .unit = TextUnit::Word};
    EXPECT_THAT(load("a <unk> b b\nb a <unk> a\n", options).preview.notices,
                ElementsAre("1 of 5 words of the training part (20.00 %) are <unk> in the text itself.",
                            "1 of 5 words of the validation part (20.00 %) are <unk> in the text itself."));
    EXPECT_THAT(load("a a b b\nb a <unk> z\n", options).preview.notices,
                ElementsAre("2 of 5 words of the validation part (40.00 %) are <unk>: 1 in the text itself, the others "
                            "since the vocabulary of 4 lacks them."));
    EXPECT_THAT(load("a a b b\nb a b z\n", options).preview.notices,
                ElementsAre("1 of 5 words of the validation part (20.00 %) are <unk>, which stands for all words that "
                            "the vocabulary of 4 lacks."));
}

TEST(LoadedWords, ALimitCountsTheTwoClassesThatAreNoWordsOfTheText)
{
    const std::string text = "a a a b b c\na b c a b c\n";
    EXPECT_THAT(load(text, {.unit = TextUnit::Word, .vocabularyLimit = 3}).preview.alphabet,
                ElementsAre("<unk>", "<eos>", "a"));
    for (const int64_t limit : {1, 2})
        EXPECT_EQ(refusal(text, {.unit = TextUnit::Word, .vocabularyLimit = limit}).text(),
                  "vocabulary_limit: expected 0, for all words, or at least 3: <unk>, <eos> and a word; got " +
                      std::to_string(limit));
    const std::vector<std::string> words{"<unk>", "<eos>", "a", "b"};
    EXPECT_EQ(load(text, {.unit = TextUnit::Word, .words = words, .vocabularyLimit = 1}).preview.alphabet, words)
        << "a trained model has its own";
}

TEST(LoadedWords, ALimitOfWordsIsWithoutEffectOnCharacters)
{
    for (const TextUnit unit : {TextUnit::Character, TextUnit::Byte}) {
        const auto notes = load("some characters", {.unit = unit, .vocabularyLimit = 5}).preview.notes;
        ASSERT_EQ(notes.size(), 1u);
        EXPECT_EQ(notes[0].sentence, "vocabulary_limit has no effect: it counts where unit is words.");
        EXPECT_EQ(notes[0].param, "vocabulary_limit");
    }
    EXPECT_THAT(load("some characters").preview.notes, IsEmpty());
    EXPECT_THAT(load("a b a b a b a b", {.unit = TextUnit::Word, .vocabularyLimit = 5}).preview.notes, IsEmpty());
}

} // namespace
} // namespace unroll
