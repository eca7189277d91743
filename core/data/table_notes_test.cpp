// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as people have them, and what is said of how they are read, or of why they are not.
#include "core/data/test_tables.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_tables;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TableNotes, AnUnknownWordIsAnErrorWhereverItStands)
{
    for (const size_t at : {0U, 3U, 5U}) {
        std::string text = "Date;a;b\n";
        for (size_t row = 0; row < 6; ++row)
            text += fmt::format("0{}.01.2021;{};{}.5\n", row + 1, row == at ? "oops" : "2.25", row);
        EXPECT_EQ(errorOf(text), fmt::format("t.csv: line {}, column 2: \"oops\" is not a number{}", at + 2,
                                             at > 0 ? "" : "; if line 2 is part of the header, set header_rows to 2"));
    }
}

TEST(TableNotes, WhatNothingDecidesIsAWarningWithARemedy)
{
    const NumberTable lone = read("T\n14.373\n15.012\n");
    ASSERT_THAT(sentencesOf(lone, true), ElementsAre(HasSubstr("\"14.373\" (line 2, column T)")));
    EXPECT_EQ(lone.notes.back().settings, (std::vector<std::pair<std::string, std::string>>{{"thousands", "."}}));
    EXPECT_EQ(read("T\n14.373\n15.012\n", with(&TableWishes::thousands, ".")).notes.size(), 1U)
        << "what is set needs no word";
    EXPECT_THAT(sentencesOf(read("T\n14.373\n15.01\n"), true), IsEmpty()) << "two digits decide";
    EXPECT_THAT(sentencesOf(read("a,b\n14.373,1\n15.012,2\n"), true), IsEmpty())
        << "commas delimit where points are decimal";
    EXPECT_THAT(sentencesOf(read("d,v\n2021-01-01,\"14,373\"\n2021-01-02,\"15,012\"\n"), true),
                ElementsAre(HasSubstr("read as thousands")));
    const NumberTable two = read("20,17\n21,18\n");
    ASSERT_EQ(two.columns.size(), 2U);
    EXPECT_THAT(sentencesOf(two, true), ElementsAre(HasSubstr("\"20,17\" is one number or several")));
    EXPECT_THAT(read("20,17\n21,18\n", with(&TableWishes::delimiter, "none")).columns.at(0).values,
                ElementsAre(20.17, 21.18));
    EXPECT_THAT(sentencesOf(read("0,1,2\n3,1,7\n1,4,9\n5,2,8\n"), true),
                ElementsAre(HasSubstr("set header_rows to 1")));
}

TEST(TableNotes, ContradictionsNameBothLines)
{
    EXPECT_EQ(errorOf("a;b\n1,5;2\n1,6;2.6\n"),
              "t.csv: \"2.6\" (line 3, column b) has a decimal point, but \"1,5\" (line 2, column a) has a decimal "
              "comma: a file must use one of them; set decimal to . or ,");
    EXPECT_THAT(errorOf("a\n\"1,234.5\"\n7\n\"1.234,5\"\n"), testing::AllOf(HasSubstr("line 2"), HasSubstr("line 4")));
    const NumberTable set = read("a;b\n1,5;2.5\n1,6;2.6\n", with(&TableWishes::decimal, "."));
    ASSERT_EQ(set.columns.size(), 1U);
    EXPECT_EQ(set.columns[0].name, "b");
    EXPECT_EQ(errorOf("date,T\n2021-01-01,20,17\n2021-01-02,20,18\n"),
              "t.csv: line 1 has 2 cells and line 2 has 3; if line 1 is not part of the table, set skip_rows to 1");
}

TEST(TableNotes, WhatIsLeftOutIsCountedAndNamed)
{
    const NumberTable ends = read("t,load,temp\r\n2021-01-01,19.5,18.5\r\n2021-01-02,19.75,18.5\r\n,,\r\n,,\r\n,,\r\n");
    EXPECT_EQ(ends.rows, 2);
    EXPECT_THAT(sentencesOf(ends), Contains("3 empty rows at the end are left out."));
    const NumberTable footer = read("a,b\n1,2\n3,4\nSource: a survey\n");
    EXPECT_EQ(footer.rows, 2);
    EXPECT_THAT(sentencesOf(footer), Contains(HasSubstr("from line 4 on: \"Source: a survey\"")));
    EXPECT_EQ(errorOf("a,b\n1,2\nSource: a survey\n3,4\n"),
              "t.csv: line 3: \"Source: a survey\" is not a row of numbers, but rows of numbers follow");
    EXPECT_THAT(sentencesOf(read("a,b\n1,2\n\n3,4\n")), Contains("1 blank line between rows is skipped."));
    EXPECT_THAT(sentencesOf(read("d,p\nx,5%\ny,6\n"), true),
                ElementsAre(HasSubstr("1 of 2 numbers of p have a percent sign")));
    EXPECT_THAT(sentencesOf(read("d,p\nx,5%\ny,6%\n")), Contains(HasSubstr("Percentages are read as written")));
}

TEST(TableNotes, WishesAreRefusedByName)
{
    EXPECT_THAT(errorOf("a,b\n1,2\n", with(&TableWishes::delimiter, "foo")),
                HasSubstr("delimiter: expected auto, comma"));
    EXPECT_THAT(errorOf("a,b\n1,2\n", with(&TableWishes::decimal, ";")),
                HasSubstr("decimal: expected auto, . or ,; got ;"));
    EXPECT_THAT(errorOf("a,b\n1,2\n", with(&TableWishes::thousands, "x")), HasSubstr("thousands: expected"));
    EXPECT_THAT(errorOf("a,b\n1,2\n", with(&TableWishes::headerRows, "-1")), HasSubstr("header_rows: expected"));
    EXPECT_THAT(errorOf("a,b\n1,2\n", with(&TableWishes::skipRows, "two")), HasSubstr("skip_rows: expected"));
    EXPECT_THAT(errorOf("a,b\n1,2\n", with(&TableWishes::quote, "ab")), HasSubstr("quote: expected"));
    EXPECT_EQ(errorOf("a,b\n1,2\n", TableWishes{.decimal = ".", .thousands = "."}),
              "thousands: . is the decimal separator");
    EXPECT_EQ(errorOf("a,b\n1,2\n", TableWishes{.delimiter = "auto", .decimal = "auto", .missing = "auto"}), "none");
}

} // namespace
} // namespace unroll
