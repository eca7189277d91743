// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string faultOf(const std::string& text)
{
    const auto edits = parseEdits(text);
    return edits ? "none" : edits.error().text();
}

TEST(Edits, AreWrittenAsTheyWereRead)
{
    for (const std::string text :
         {"lstm_2.h[3,17] = 0 from 40", "lstm.c[5] *= 2 at 10..20", "gru.z += noise(0.1, seed 3)",
          "lstm.h[3] <-> lstm.h[17]", "ablate mru_1", "ablate body.2.mru with mean at 7", "start \"Once upon\"",
          "start \"a \\\"word\\\", a \\\\ and\\n; a line\"", "lstm.h = -1.25e-07",
          "body.2.lstm.f[0,2..5,9,10] = 1 at 3", "lstm.h[0..2] <-> lstm.h[7..9] from 5", "lstm.h += 0.1", "start.h = 1",
          "ablate.h *= 0", "lstm.h[1] = 0.30000000000000004", "ablate mru_1; lstm.h = 0; start \"x\""}) {
        const auto edits = parseEdits(text);
        ASSERT_TRUE(edits) << text << ": " << edits.error().text();
        EXPECT_EQ(writtenEdits(*edits), text);
        EXPECT_EQ(parseEdits(writtenEdits(*edits)).value(), *edits) << text;
    }
}

TEST(Edits, MayBeWrittenMoreFreely)
{
    EXPECT_EQ(parseEdits("").value(), std::vector<Edit>{});
    EXPECT_EQ(parseEdits(" ; ;").value(), std::vector<Edit>{});
    const auto edits = parseEdits(" lstm.h [ 3 , 4,5 ]=1from 1;;gru.z+=noise( .5 )\nat 4 .. 4;").value();
    ASSERT_EQ(edits.size(), 2u);
    EXPECT_THAT(edits[0].units, ElementsAre(3, 4, 5));
    EXPECT_EQ(edits[0].span, EditSpan{});
    EXPECT_EQ(edits[1].span, (EditSpan{3, 3})) << "written from 1, kept from 0";
    EXPECT_EQ(writtenEdits(edits), "lstm.h[3..5] = 1; gru.z += noise(0.5, seed 0) at 4");
}

TEST(Edits, SayWhereTheyGoWrongAndWhatWasExpected)
{
    EXPECT_EQ(faultOf("lstm.h[3 = 0"), "edit: at character 10: expected , or ], found '='");
    EXPECT_EQ(faultOf("lstm.h[3]"), "edit: at character 10: expected =, *=, += or <->, the text ends");
    EXPECT_EQ(faultOf("lstm"), "edit: at character 5: expected . and a signal's name, the text ends");
    EXPECT_EQ(faultOf("lstm. = 0"), "edit: at character 6: expected a signal's name, found ' '");
    EXPECT_EQ(faultOf("lstm.h = zero"), "edit: at character 10: expected a number, found 'zero'");
    EXPECT_EQ(faultOf("lstm.h = nan"), "edit: at character 10: expected a finite number, found 'nan'");
    EXPECT_EQ(faultOf("lstm.h = 0 until 3"), "edit: at character 12: expected from, at, ; or the end, found 'until'");
    EXPECT_EQ(faultOf("lstm.h = 0 from x"), "edit: at character 17: expected a step, counted from 1, found 'x'");
    EXPECT_EQ(faultOf("lstm.h = 0 at 5..3"),
              "edit: at character 16: expected a last step that is not before the first, found '.'");
    EXPECT_EQ(faultOf("lstm.h = 0 from -1"), "edit: at character 17: expected a step, counted from 1, found '-'");
    EXPECT_EQ(faultOf("lstm.h = 0 from 0"), "edit: at character 17: expected a step, counted from 1, found '0'");
    EXPECT_EQ(faultOf("lstm.h[1,1] = 0"), "edit: at character 8: expected each unit once, found '1'");
    EXPECT_THAT(faultOf("lstm.h[5..3] = 0"), HasSubstr("at character 9"));
    EXPECT_THAT(faultOf("lstm.h[0..9999999999] = 0"), HasSubstr("at most 1048576 units"));
    EXPECT_THAT(faultOf("lstm.h[1] <-> gru.h[2]"), HasSubstr("at character 15: expected units of the same signal"));
    EXPECT_THAT(faultOf("lstm.h[1,2] <-> lstm.h[3]"), HasSubstr("as many units on both sides"));
    EXPECT_THAT(faultOf("lstm.h[1,2] <-> lstm.h[2,3]"), HasSubstr("not on the other side"));
    EXPECT_THAT(faultOf("lstm.h += noise(-1)"), HasSubstr("at character 17"));
    EXPECT_THAT(faultOf("lstm.h += noise(1, 3)"), HasSubstr("expected seed"));
    EXPECT_THAT(faultOf("start Once"), HasSubstr("at character 7: expected \", found 'Once'"));
    EXPECT_THAT(faultOf("start \"Once"), HasSubstr("expected \" behind the text"));
    EXPECT_THAT(faultOf("ablate"), HasSubstr("the name of a node"));
    EXPECT_THAT(faultOf("ablate a with b"), HasSubstr("expected mean, found 'b'"));
    EXPECT_THAT(faultOf("ü.h = 0"),
                HasSubstr("at character 1: expected a node and its signal, such as lstm.h, found 'ü'"));
}

} // namespace
} // namespace unroll
