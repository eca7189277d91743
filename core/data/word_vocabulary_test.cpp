// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/word_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::ElementsAre;

TEST(Words, AreReadAndWritten)
{
    const WordVocabulary words({"the", "cat"});
    const auto tokens = words.encode("the cat\r\n\tthe  <unk>").value();
    EXPECT_THAT(tokens, ElementsAre(2, 3, 1, 2, 0));
    EXPECT_EQ(words.decode(tokens), "the cat\nthe <unk>");
    EXPECT_EQ(words.written({2, 3}, false), " the cat");
    EXPECT_THAT(words.encode("the dog").value(), ElementsAre(2, 0));
    EXPECT_THAT(words.unknownWords("a dog <unk>\n\ta the"), ElementsAre("a", "dog", "a"));
    EXPECT_EQ(unknownText(words, "a dog <unk> a the"),
              "3 of 5 words read as <unk>: the vocabulary of 4 lacks 'a', 'dog'");
    EXPECT_EQ(unknownText(words, "the cat <unk>\n"), "");
    EXPECT_THAT(encodeExactly(words, "the <unk>").value(), ElementsAre(2, 0));
    EXPECT_EQ(encodeExactly(words, "the dog").error().message, "the vocabulary of 4 words lacks 'dog'");
    for (int32_t token = 0; token < words.classes(); ++token)
        EXPECT_THAT(words.encode(words.decode({token})).value(), ElementsAre(token));
}

/// What a run remembers of its words is the text of each: a line end stands for <eos>.
TEST(Words, AreLearnedByTheirNamesAndByTheirTexts)
{
    const WordVocabulary words({"the", "cat"});
    for (const char* end : {"<eos>", "\n"}) {
        const auto learned = learnedWords({"<unk>", end, "the", "cat"});
        ASSERT_TRUE(learned) << end;
        EXPECT_EQ((*learned)->alphabet(), words.alphabet());
    }
    EXPECT_FALSE(learnedWords({"<unk>", "end", "the"}));
    EXPECT_FALSE(learnedWords({"<unk>"}));
}

/// As where files that begin with such a mark were put together.
TEST(Words, AWordMayBeginWithAByteOrderMark)
{
    const WordVocabulary words({"\xEF\xBB\xBFthe", "the"});
    for (int32_t token = 0; token < words.classes(); ++token)
        EXPECT_THAT(words.encode(words.decode({token})).value(), ElementsAre(token));
    EXPECT_THAT(words.encode("\xEF\xBB\xBFthe the").value(), ElementsAre(2, 3));
    EXPECT_THAT(WordVocabulary({"the"}).encode("\xEF\xBB\xBFthe").value(), ElementsAre(2));
}

} // namespace
} // namespace unroll
