// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/probe.h"

#include "core/data/text_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// 36 characters to train on, 4 to validate.
std::shared_ptr<const TextDataset> shortText()
{
    TextSource source;
    source.name = "a.txt";
    for (int i = 0; i < 5; ++i)
        source.text += "abcdefgh";
    TextOptions options;
    options.steps = 16;
    return TextDataset::fromSource(std::move(source), options).value();
}

TEST(ProbeText, IsEncodedAndCut)
{
    const ProbeText probe = makeProbeText(*shortText(), "head", 3);
    EXPECT_THAT(probe.tokens, ElementsAre(7, 4, 0));
    EXPECT_THAT(probe.characters, ElementsAre("h", "e", "a"));
    EXPECT_EQ(probe.trouble, "");
}

TEST(ProbeText, TheStartOfTheValidationSplitEndsWherePaddingBegins)
{
    const ProbeText probe = makeProbeText(*shortText(), "");
    EXPECT_THAT(probe.characters, ElementsAre("d", "e", "f", "g")) << "the window has 16 steps, 4 of them real";
    EXPECT_EQ(probe.trouble, "");
}

TEST(ProbeText, SaysWhyATextIsNotTaken)
{
    const ProbeText probe = makeProbeText(*shortText(), "had\u00E9");
    EXPECT_THAT(probe.trouble, HasSubstr("U+00E9"));
    EXPECT_EQ(probe.tokens, makeProbeText(*shortText(), "").tokens);
    const ProbeText mark = makeProbeText(*shortText(), "\uFEFF");
    EXPECT_EQ(mark.trouble, "") << "nothing but a byte order mark is no text";
    EXPECT_EQ(mark.tokens, probe.tokens);
}

TEST(Probe, LabelsOfClassesAreNoCharacters)
{
    EXPECT_TRUE(readsCharacters({.characters = {"a", "␣", "é"}}));
    EXPECT_FALSE(readsCharacters({.characters = {"1", "231"}}));
    EXPECT_FALSE(readsCharacters({})) << "numbers";
}

} // namespace
} // namespace unroll
