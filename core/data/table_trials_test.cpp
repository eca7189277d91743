// SPDX-License-Identifier: GPL-3.0-or-later
// Tables that were read wrongly without a word, each with what is right: numbers, an error that names the line, or a
// warning.
#include "core/data/test_tables.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_tables;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Trial {
    std::string text;
    Columns columns;
    TableWishes wishes{};
};

std::vector<std::string> warningsOf(const std::string& text, const TableWishes& wishes = {})
{
    return sentencesOf(read(text, wishes), true);
}

void expectColumns(const Trial& trial)
{
    testing_tables::expectColumns(read(trial.text, trial.wishes), trial.columns, trial.text);
}

TEST(TableTrials, NumbersAsPeopleWriteThem)
{
    const Trial trials[] = {
        {"d,v\nx,1.5D-03\ny,0.25D+01\n", {{"v", {0.0015, 2.5}}}},
        {" 0.1D+01  0.25D+01\n 0.2D+01  0.35D+01\n", {{"1", {1, 2}}, {"2", {2.5, 3.5}}}},
        {"d,v\nx,=\"5.5\"\ny,=\"6.5\"\n", {{"v", {5.5, 6.5}}}},
        {"d,v\nx,($5.50)\ny,$(6.50)\nz,-$1\n", {{"v", {-5.5, -6.5, -1}}}},
        {"d,v\nx,\u20105.5\ny,6.5\nz,\u20147\n", {{"v", {-5.5, 6.5, -7}}}},
        {"d;v\nx;CHF 1'234.-\ny;CHF 7.50\n", {{"v", {1234, 7.5}}}},
        {"d;v\nx;5,--\ny;7,50\n", {{"v", {5, 7.5}}}},
        {"d;v\nx;1 234,50 kr\ny;2,00 kr\n", {{"v", {1234.5, 2}}}},
        {"d;v\nx;1 234,50 руб.\ny;2,00 руб.\n", {{"v", {1234.5, 2}}}},
        {"d,v\nx,\"\uFFE51,234\"\ny,\uFFE5999\n", {{"v", {1234, 999}}}},
        {"a,b\n1\u200B,2\n\u200E-3,4\n", {{"a", {1, -3}}, {"b", {2, 4}}}},
        {"a;b\n1,5;2\n\uFEFF2,5;3\n", {{"a", {1.5, 2.5}}, {"b", {2, 3}}}},
        {"a;b\n1;-99,9\n2;3,5\n", {{"a", {1, 2}}, {"b", {kNone, 3.5}}}, {.missing = "-99.9"}},
    };
    for (const Trial& trial : trials)
        expectColumns(trial);
}

TEST(TableTrials, MarksOfAMissingNumberInAnyLanguage)
{
    for (const char* mark : {"/", "///", "--.-", "-.-", "\u2026", "n.v.", "k. A.", "s/d", "#NOMBRE?", "#\u00A1DIV/0!",
                             "#N/D", "#VALEUR!", "- -"})
        for (const size_t at : {0U, 2U}) {
            std::string text = "Date;a;b\n";
            for (size_t row = 0; row < 5; ++row)
                text += fmt::format("2021-01-0{};{};{},25\n", row + 1, row == at ? mark : "1,5", row);
            const NumberTable table = read(text);
            ASSERT_EQ(table.columns.size(), 2U) << text;
            for (size_t row = 0; row < 5; ++row)
                EXPECT_EQ(std::isnan(table.columns[0].values[row]), row == at) << text;
        }
}

/// Whatever stands in the first row of the numbers: it is a row, as it would be anywhere else.
TEST(TableTrials, TheFirstRowIsNeverDropped)
{
    for (const char* word : {"err", "I/O Timeout", "1d5", "1.5-103", "\u00B15", "<0.05", "1.23.456", "9999.9*", "inf",
                             "0/0", "#ERR", "1,5 # x"})
        for (const size_t at : {0U, 2U}) {
            std::string text = "Date;a;b\n";
            for (size_t row = 0; row < 5; ++row)
                text += fmt::format("2021-01-0{};{};{},25\n", row + 1, row == at ? word : "1,5", row);
            EXPECT_THAT(errorOf(text),
                        AllOf(HasSubstr(fmt::format("line {}, column 2", at + 2)),
                              HasSubstr(word == std::string("inf") ? "is not a finite number" : "is not a number")))
                << text;
        }
    EXPECT_THAT(
        errorOf("a,b\nerr,1.5\n2,2.5\n3,3.5\n"),
        HasSubstr("line 2, column 1: \"err\" is not a number; if line 2 is part of the header, set header_rows to 2"));
    EXPECT_THAT(errorOf("2021-01-01,oops,0.5\n2021-01-02,1,0.6\n2021-01-03,2,0.7\n"),
                HasSubstr("line 1, column 2: \"oops\""));
    EXPECT_THAT(errorOf("Date,a,b\n2021-01-01,err,0.5\n2021-01-02,err,0.6\n2021-01-03,2,0.7\n2021-01-04,2,0.7\n"),
                HasSubstr("line 2, column 2"));
    EXPECT_THAT(errorOf("d;v\nx;1.23.456\ny;2,5\n"), HasSubstr("line 2, column 2"));
    EXPECT_THAT(errorOf("d;v\nx;1.5\ny;2.345\n", {.thousands = "."}), HasSubstr("line 2, column 2"));
    EXPECT_THAT(errorOf("day,v\nMon,err\nTue,5\nMon,6\n"), HasSubstr("line 2, column 2"))
        << "a word that comes again is no unit";
    EXPECT_THAT(errorOf("s;v\nStep 1;OFF\nStep 2;4,5\nStep 13;4,5\n"), HasSubstr("line 2, column 2"))
        << "nor is a word of this shape";
    EXPECT_THAT(errorOf("a,b\n1,Bad\n2,bad\n3,5\n", {.missing = "bad"}), HasSubstr("line 2, column 2: \"Bad\""));
    EXPECT_THAT(errorOf("a,b\n1,2 # note\n3,4\n5,6\n"), HasSubstr("line 2, column 2"));
    expectColumns({"t,v\ns,1/min\n0,5\n1,6\n", {{"t", {0, 1}}, {"v", {5, 6}}}});
    EXPECT_THAT(warningsOf("t,site,v\ns,x,5s\n0,y,5\n1,z,6\n"), Contains(HasSubstr("part of the header: s, x, 5s")));
}

/// A header is what stands together directly above the numbers.
TEST(TableTrials, LinesAboveTheHeaderAreNoHeader)
{
    const Trial trials[] = {
        {"Model,DPO\nSample Interval,1e-6\nRecord Length,3\nTIME,CH1\n-0.5,0.5\n0,0.6\n0.5,0.75\n1,1\n",
         {{"TIME", {-0.5, 0, 0.5, 1}}, {"CH1", {0.5, 0.6, 0.75, 1}}}},
        {"Serial,1234\nRate,10\nt,x\n0,1.5\n1,2.5\n2,3.5\n", {{"t", {0, 1, 2}}, {"x", {1.5, 2.5, 3.5}}}},
        {"Station,Kiel\nLat,54.3\n\nday,T\n2021-01-01,1.5\n2021-01-02,2.5\n", {{"T", {1.5, 2.5}}}},
        {"LabVIEW Measurement\t\nDate\t2021/01/01\nTime\t10:00:00\n***End_of_Header***\t\n\nX\tU\n0,1\t1,5\n0,2\t1,6\n",
         {{"X", {0.1, 0.2}}, {"U", {1.5, 1.6}}}},
        {"Title: GDP\nUnits: Billions\nSource: BEA\n\nDATE\tVALUE\n1947-01-01\t243.1\n1947-04-01\t246.3\n",
         {{"VALUE", {243.1, 246.3}}}},
        {"| a | b |\n|---|---|\n| 1 | 2.5 |\n| 3 | 4.5 |\n", {{"a", {1, 3}}, {"b", {2.5, 4.5}}}},
        {" a | b\n---+-----\n 1 | 2.5\n 3 | 4.5\n(2 rows)\n", {{"a", {1, 3}}, {"b", {2.5, 4.5}}}},
        {"a,b\n,\n,\n1,2\n3,4\n", {{"a", {1, 3}}, {"b", {2, 4}}}},
        {"a,,\n1,2,3\n4,5,6\n", {{"a", {1, 4}}, {"2", {2, 5}}, {"3", {3, 6}}}},
        {"a,b\n1,2\n3,4\n\nSource: X\nNote, with comma\n", {{"a", {1, 3}}, {"b", {2, 4}}}},
    };
    for (const Trial& trial : trials)
        expectColumns(trial);
    EXPECT_THAT(errorOf("Serial,1234\nRate,10\n0,1.5\n1,2.5\n2,3.5\n"),
                HasSubstr("lines 1 to 2 are not part of the table, set skip_rows to 2"));
    EXPECT_THAT(warningsOf("a,b\n1;2\n3;4\n"), Contains(HasSubstr("1 line above the numbers is skipped, as \"a,b\"")));
    EXPECT_THAT(warningsOf("Report of the station\npct_0\n43.09%\n43.21%\n"),
                Contains(HasSubstr("part of the header: pct_0")));
    EXPECT_THAT(warningsOf("a,b,3\n1,2,3\n4,5,6\n"),
                Contains(HasSubstr("Line 1 is read as header although it has numbers")));
}

TEST(TableTrials, NamesThatAreNumbers)
{
    const Trial names[] = {
        {"Country,Code,1960,1961\nAruba,ABW,54211,55438\nChad,TCD,3002596,3061423\n",
         {{"1960", {54211, 3002596}}, {"1961", {55438, 3061423}}}},
        {"Sample,400.5,401.0,401.5\nA,0.11,0.12,0.13\nB,0.21,0.22,0.23\n",
         {{"400.5", {0.11, 0.21}}, {"401.0", {0.12, 0.22}}, {"401.5", {0.13, 0.23}}}},
        {"date,0.5,1.0,2.0\n2021-01-01,5.5,6.5,7.5\n2021-01-02,5.6,6.6,7.6\n",
         {{"0.5", {5.5, 5.6}}, {"1.0", {6.5, 6.6}}, {"2.0", {7.5, 7.6}}}},
        {"2018;2019\n20.217;10.147\n950;12.345\n983;12.345\n",
         {{"2018", {20217, 950, 983}}, {"2019", {10147, 12345, 12345}}}},
    };
    for (const Trial& trial : names)
        expectColumns(trial);
    const Trial rows[] = {
        {"0,1\n1,3\n2,5\n3,8\n4,13\n", {{"1", {0, 1, 2, 3, 4}}, {"2", {1, 3, 5, 8, 13}}}},
        {"1,2\n3,4\n5,6\n7,8\n", {{"1", {1, 3, 5, 7}}, {"2", {2, 4, 6, 8}}}},
        {"0,1\n0.1,0.995\n0.2,0.98\n0.3,0.955\n", {{"1", {0, 0.1, 0.2, 0.3}}, {"2", {1, 0.995, 0.98, 0.955}}}},
        {"20\n20.5\n21.25\n22.125\n", {{"1", {20, 20.5, 21.25, 22.125}}}},
        {"2010,2011\n2012,2013\n2014,2015\n2016,2018\n",
         {{"1", {2010, 2012, 2014, 2016}}, {"2", {2011, 2013, 2015, 2018}}}},
    };
    for (const Trial& trial : rows)
        expectColumns(trial);
    EXPECT_THAT(warningsOf("0,1,2\n0.5,5.5,7.25\n1.5,6.5,3.5\n2.5,5.5,5.25\n"),
                Contains(HasSubstr("set header_rows to 0")));
}

TEST(TableTrials, WhatDivides)
{
    const Trial trials[] = {
        {"when;v\nMon Feb  1 10:00:00 2021;0,5\nTue Feb  2 10:00:00 2021;2,5\n", {{"v", {0.5, 2.5}}}},
        {"when;v\n2021-01-01 00:00:00 CET;0,5\n2021-01-02 00:00:00 CET;2,5\n", {{"v", {0.5, 2.5}}}},
        {"@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n3,4\n5,6\n",
         {{"1", {1, 3, 5}}, {"2", {2, 4, 6}}}},
    };
    for (const Trial& trial : trials)
        expectColumns(trial);
    EXPECT_THAT(warningsOf("T\n20,17\n21,18\n"),
                Contains(HasSubstr("Only the header shows whether \"20,17\" is one number")));
    EXPECT_THAT(warningsOf("T\n20,17\n21,08\n"), IsEmpty()) << "a zero in front is of a fraction";
    EXPECT_THAT(warningsOf("a,b\n1,2\n3,4\n", {.delimiter = ";"}),
                Contains(HasSubstr("set to semicolon, but no row has one")));
    EXPECT_THAT(warningsOf("\"a,b\"\n\"1,2\"\n\"3,4\"\n"), Contains(HasSubstr("Every row is one quoted cell")));
    EXPECT_THAT(warningsOf("d;v\n1;950\n2;1012\n3;1.030\n"), Contains(HasSubstr("\"1.030\" (line 4, column v)")));
}

TEST(TableTrials, RowsWithoutANumberAreRows)
{
    const Trial trials[] = {
        {"w;v\ncd;\nab;1,5\nef;\nab;2,5\ncd;\n", {{"v", {kNone, 1.5, kNone, 2.5, kNone}}}},
        {"v;w\n;ef\n1,5;ab\n;ef\n2,5;ab\n", {{"v", {kNone, 1.5, kNone, 2.5}}}},
        {"w|v\n-|hPa\ncd|?\nab|0,5\nab|0,7\n", {{"v", {kNone, 0.5, 0.7}}}},
    };
    for (const Trial& trial : trials)
        expectColumns(trial);
    EXPECT_THAT(warningsOf("v\n1.5\n\n2.5\n3.5\n4.5\n"), Contains(HasSubstr("where a number is missing, write NA")));
    EXPECT_THAT(warningsOf("v\n\n1.5\n\n2.5\n\n3.5\n"), IsEmpty()) << "every second line is blank";
}

TEST(TableTrials, ThousandsInOneColumnWithoutQuotes)
{
    const Trial trials[] = {
        {"x\n-8,626.49\n-8,014.99\n-523.17\n", {{"x", {-8626.49, -8014.99, -523.17}}}},
        {"x\n950,012\n1,021,031\n992,707\n", {{"x", {950012, 1021031, 992707}}}},
        {"x\n496,12\n?\n339,91\n", {{"x", {496.12, kNone, 339.91}}}},
    };
    for (const Trial& trial : trials)
        expectColumns(trial);
    EXPECT_THAT(warningsOf("x\n8,626.49\n8,114.99\n"), Contains(HasSubstr("set delimiter to comma")));
    expectColumns({"a,b\n8,626.49\n8,114.99\n", {{"a", {8, 8}}, {"b", {626.49, 114.99}}}});
}

/// Two numbers are always evenly spaced, and words stand above words in every row.
TEST(TableTrials, ARowOfWordsAndNumbersIsARow)
{
    expectColumns({"-1.560,85;-7,3e+02;ef\n-1.779,25;-1,2e+03;ab\n-3.058,27;-1,7e+03;ab\n-4.413,06;-2,9e+03;ef\n",
                   {{"1", {-1560.85, -1779.25, -3058.27, -4413.06}}, {"2", {-730, -1200, -1700, -2900}}}});
    EXPECT_THAT(warningsOf("x,1,2,3\ny,4,5,6\nz,7,8,9\n"), Contains(HasSubstr("set header_rows to 0")));
}

TEST(TableTrials, WhatIsLeftOutThoughItLooksLikeANumber)
{
    EXPECT_EQ(errorOf("d,v\nx,5 kg\ny,6 kg\n"),
              "t.csv: has no numeric column: \"5 kg\" (line 2) starts as one but is not");
    const NumberTable table = read("Date,P,Vol\n2021-01-01,1.5,1.25M\n2021-01-02,2.5,980.5K\n");
    ASSERT_EQ(table.leftOut.size(), 2U);
    EXPECT_EQ(table.leftOut[1].why, "no cell is a number, the first in line 2: \"1.25M\"");
    EXPECT_THAT(warningsOf("day,v\n2021-01-01,1\n2021-01-02,2\nTotal,3\n"),
                Contains(HasSubstr("day contains dates, but \"Total\" in line 4")));
    EXPECT_THAT(warningsOf("d;v\n2021-01-01;1,5\n44198;2,5\n2021-01-03;3,5\n"),
                Contains(HasSubstr("\"44198\" in line 3")));
    EXPECT_THAT(warningsOf("d,v\nx,$5\ny,€6\n"), Contains(HasSubstr("v has numbers with $ and with €")));
}

TEST(TableTrials, FilesThatAreNoTable)
{
    using std::string_literals::operator""s;
    const std::pair<std::string, const char*> files[] = {
        {"<?xml version=\"1.0\"?>\n<r a=\"1\"/>\n", "is XML or HTML"},
        {"<table>\n<tr><td>1</td></tr>\n</table>\n", "is XML or HTML"},
        {"{\\rtf1\\ansi a,b\\par 1,2}", "formatted text (RTF)"},
        {"MATLAB 5.0 MAT-file, Platform: GLNXA64", "MATLAB file"},
        {"ARROW1\0\0"s, "Arrow file"},
        {"CDF\x01\0\0"s, "NetCDF"},
        {"7z\xBC\xAF'\x1C"s, "7-Zip"},
        {"Rar!\x1A\x07"s, "RAR"},
        {"\x89PNG\r\n"s, "image (PNG)"},
        {"PK\x05\x06"s, "empty zip"},
        {"version https://hawser.github.com/spec/v1\noid sha256:4d\nsize 12345\n", "Git LFS pointer"},
        {"data.csv" + std::string(249, '\0') + "ustar\0"s + "a,b\n1,2\n", "tar archive"},
        {"a,b\n1,2\n3,4\n" + std::string(512, '\0'), "contains NUL characters, the first in line 4"},
        {"a,b\n1,\0002\n3,4\n5,6\n"s, "the first in line 2"},
    };
    for (const auto& [bytes, words] : files)
        EXPECT_THAT(errorOf(bytes), HasSubstr(words));
}

} // namespace
} // namespace unroll
