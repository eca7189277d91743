// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as people have them, and what is read of them.
#include "core/data/test_tables.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_tables;
using ::testing::ElementsAre;

struct Kind {
    std::string name;
    std::string text;
    std::string format; // "Read as: ..."
    Columns columns;
    TableWishes wishes{};
};

void PrintTo(const Kind& kind, std::ostream* out)
{
    *out << kind.name;
}

class TableKind : public testing::TestWithParam<Kind> {};

TEST_P(TableKind, IsReadRightly)
{
    const Kind& kind = GetParam();
    const NumberTable table = read(kind.text, kind.wishes);
    expectColumns(table, kind.columns, kind.text);
    ASSERT_FALSE(table.notes.empty());
    EXPECT_EQ(table.notes.front().sentence, "Read as: " + kind.format + ".");
}

const Kind kThousands[] = {
    {"CommaBetweenThousands",
     "day,close,volume\n2021-01-01,\"1,440.39\",\"1,019,391\"\n2021-01-02,\"971.60\",\"22,035\"\n",
     "comma-separated, decimal point, thousands comma, 1 header row",
     {{"close", {1440.39, 971.6}}, {"volume", {1019391, 22035}}}},
    {"PointBetweenThousandsBesideADecimalComma",
     "Tag;Menge;T\n01.01.2021 00:00;14.373;20,84\n01.01.2021 01:00;14.595;22,46\n",
     "semicolon-separated, decimal comma, thousands point, 1 header row",
     {{"Menge", {14373, 14595}}, {"T", {20.84, 22.46}}}},
    {"PointAcrossAThousand",
     "Tag;Menge;T\nt0;950;20,00\nt1;983;21,00\nt2;1.012;22,00\n",
     "semicolon-separated, decimal comma, thousands point, 1 header row",
     {{"Menge", {950, 983, 1012}}, {"T", {20, 21, 22}}}},
    {"CommaAcrossAThousand",
     "Tag;Menge;T\nt0;950;20.00\nt1;983;21.00\nt2;1,012;22.00\n",
     "semicolon-separated, decimal point, thousands comma, 1 header row",
     {{"Menge", {950, 983, 1012}}, {"T", {20, 21, 22}}}},
    {"AJumpOfAThousandDecides",
     "Menge\n950\n983\n1.012\n1.030\n",
     "one column, thousands point, 1 header row",
     {{"Menge", {950, 983, 1012, 1030}}}},
    {"AThousandWithoutASignDecides",
     "m\n950\n1200\n1.012\n1.030\n",
     "one column, decimal point, 1 header row",
     {{"m", {950, 1200, 1.012, 1.03}}}},
    {"TwoPointsAreNoDecimals",
     "v\n1.019.391\n1.020.000\n",
     "one column, thousands point, 1 header row",
     {{"v", {1019391, 1020000}}}},
    {"Apostrophes",
     "d;v\nx;1'019'391.25\ny;950.5\n",
     "semicolon-separated, decimal point, thousands apostrophe, 1 header row",
     {{"v", {1019391.25, 950.5}}}},
    {"CurlyApostrophes",
     "d;v\nx;1\u2019019\u2019391,25\ny;950,5\n",
     "semicolon-separated, decimal comma, thousands apostrophe, 1 header row",
     {{"v", {1019391.25, 950.5}}}},
    {"Spaces",
     "d;v\nx;1 019 391,25\ny;950,5\n",
     "semicolon-separated, decimal comma, thousands space, 1 header row",
     {{"v", {1019391.25, 950.5}}}},
    {"NarrowSpaces",
     "d,v\nx,1\u00A0019.25\ny,1\u202F950.5\n",
     "comma-separated, decimal point, thousands space, 1 header row",
     {{"v", {1019.25, 1950.5}}}},
    {"SpacesInOneColumn",
     "Menge\n950\n1 012\n1 030\n",
     "one column, thousands space, 1 header row",
     {{"Menge", {950, 1012, 1030}}}},
    {"IndianGroups",
     "d,v\nx,\"12,34,567.5\"\ny,\"1,00,000.25\"\n",
     "comma-separated, decimal point, thousands comma, 1 header row",
     {{"v", {1234567.5, 100000.25}}}},
    {"ALoneColumnIsDecimal",
     "T\n14.373\n15.012\n",
     "one column, decimal point, 1 header row",
     {{"T", {14.373, 15.012}}}},
    {"SetToThousands",
     "T\n14.373\n15.012\n",
     "one column, thousands point, 1 header row",
     {{"T", {14373, 15012}}},
     with(&TableWishes::thousands, ".")},
    {"SetToDecimalComma",
     "d,v\n2021-01-01,\"14,373\"\n2021-01-02,\"15,012\"\n",
     "comma-separated, decimal comma, 1 header row",
     {{"v", {14.373, 15.012}}},
     with(&TableWishes::decimal, ",")},
    {"SmallNumbersBesideAreDecimals",
     "T\n14.373\n0.012\n",
     "one column, decimal point, 1 header row",
     {{"T", {14.373, 0.012}}}},
};

const Kind kDelimiters[] = {
    {"OneColumnOfDecimalCommas",
     "T\n20,17\n21\n22,5\n",
     "one column, decimal comma, 1 header row",
     {{"T", {20.17, 21, 22.5}}}},
    {"WithoutANameToo",
     "21,03\n21,97\n25,27\n27,28\n-0,5\n",
     "one column, decimal comma, no header row",
     {{"1", {21.03, 21.97, 25.27, 27.28, -0.5}}}},
    {"TwoColumnsOfWholeNumbers",
     "a,b\n20,17\n21,18\n22,5\n",
     "comma-separated, 1 header row",
     {{"a", {20, 21, 22}}, {"b", {17, 18, 5}}}},
    {"Tabs",
     "a\tb\n1,5\t2\n2,5\t3\n",
     "tab-separated, decimal comma, 1 header row",
     {{"a", {1.5, 2.5}}, {"b", {2, 3}}}},
    {"Bars", "a|b\n1.5|2\n2.5|3\n", "bar-separated, decimal point, 1 header row", {{"a", {1.5, 2.5}}, {"b", {2, 3}}}},
    {"Blanks",
     "  a    b c\n 1  2.5   -3\n10 20.5\t-30\n",
     "space-separated, decimal point, 1 header row",
     {{"a", {1, 10}}, {"b", {2.5, 20.5}}, {"c", {-3, -30}}}},
    {"NamedInALine",
     "sep=;\r\nZeit;T;P\r\n01.01.2021 00:00;19,74;38,27\r\n01.01.2021 01:00;22,54;46,43\r\n",
     "semicolon-separated, decimal comma, 1 line skipped at the top, 1 header row",
     {{"T", {19.74, 22.54}}, {"P", {38.27, 46.43}}}},
    {"ADelimiterAtTheEnd", "a,b\n1,2,\n3,4,\n", "comma-separated, 1 header row", {{"a", {1, 3}}, {"b", {2, 4}}}},
    {"ADelimiterAtEveryEnd",
     "a;b;\n1,5;2;\n3;4;\n",
     "semicolon-separated, decimal comma, 1 header row",
     {{"a", {1.5, 3}}, {"b", {2, 4}}}},
    {"CommasInWords",
     "name;v\n\"Kiel, north\";1,5\n\"Ulm, south\";2,5\n",
     "semicolon-separated, decimal comma, 1 header row",
     {{"v", {1.5, 2.5}}}},
    {"Set",
     "a:b\n1:2\n3:4\n",
     ":-separated, 1 header row",
     {{"a", {1, 3}}, {"b", {2, 4}}},
     with(&TableWishes::delimiter, ":")},
    {"SetByName",
     "a;b,c\n1;2,3\n4;5,6\n",
     "semicolon-separated, decimal comma, 1 header row",
     {{"a", {1, 4}}, {"b,c", {2.3, 5.6}}},
     with(&TableWishes::delimiter, "semicolon")},
    {"QuotedByApostrophes",
     "'a';'b'\n'1,5';'2'\n'3,5';'4'\n",
     "semicolon-separated, decimal comma, quoted by ', 1 header row",
     {{"a", {1.5, 3.5}}, {"b", {2, 4}}}},
    {"AsRWritesIt",
     "\"a\"\t\"b\"\n\"r1\"\t1\t2.5\n\"r2\"\t3\t4\n",
     "tab-separated, decimal point, 1 header row",
     {{"a", {1, 3}}, {"b", {2.5, 4}}}},
};

const Kind kHeaders[] = {
    {"Years",
     "2018,2019,2020\n20.217,10.147,6.159\n22.596,11.345,6.794\n23.8,12.6,7.1\n",
     "comma-separated, decimal point, 1 header row",
     {{"2018", {20.217, 22.596, 23.8}}, {"2019", {10.147, 11.345, 12.6}}, {"2020", {6.159, 6.794, 7.1}}}},
    {"YearsOverWholeNumbers",
     "2018,2019,2020\n14,25,36\n15,26,37\n16,23,33\n",
     "comma-separated, 1 header row",
     {{"2018", {14, 15, 16}}, {"2019", {25, 26, 23}}, {"2020", {36, 37, 33}}}},
    {"ACountOverFractions",
     ",0,1\n0,5.5,7.25\n1,6.5,3.5\n2,5.5,5.25\n",
     "comma-separated, decimal point, 1 header row",
     {{"1 (2)", {0, 1, 2}}, {"0", {5.5, 6.5, 5.5}}, {"1", {7.25, 3.5, 5.25}}}},
    {"WholeNumbersAboveWholeNumbers",
     "14,25\n15,26\n11,29\n16,23\n",
     "comma-separated, no header row",
     {{"1", {14, 15, 11, 16}}, {"2", {25, 26, 29, 23}}},
     with(&TableWishes::delimiter, ",")},
    {"UnitsBelow",
     "Time,P,T\n-,hPa,degC\n2021-01-01 00:00:00,20.316,20.29\n2021-01-01 01:00:00,21.887,23.30\n",
     "comma-separated, decimal point, 2 header rows",
     {{"P", {20.316, 21.887}}, {"T", {20.29, 23.3}}}},
    {"Preamble",
     "\"Data Source\",\"World Indicators\",\n\n\"Last "
     "Updated\",\"2021-01-01\",\n\nday,load,temp\n2021-01-01,20.7,18.8\n"
     "2021-01-02,22.3,21.9\n",
     "comma-separated, decimal point, 4 lines skipped at the top, 1 header row",
     {{"load", {20.7, 22.3}}, {"temp", {18.8, 21.9}}}},
    {"PreambleOfOtherWidth",
     "Station Kiel\nLatitude;54,3\n\nday;a;b;c\n2021-01-01;1,5;2;3\n2021-01-02;1;2;3\n",
     "semicolon-separated, decimal comma, 3 lines skipped at the top, 1 header row",
     {{"a", {1.5, 1}}, {"b", {2, 2}}, {"c", {3, 3}}}},
    {"Comments",
     "# by a logger\n% of 2021\na,b\n// and\n1,2.5\n#3,4\n5,6\n",
     "comma-separated, decimal point, 1 header row; comments start with #, %, //",
     {{"a", {1, 5}}, {"b", {2.5, 6}}}},
    {"NamesInAComment",
     "# made by numpy\n# a b\n1.5 2\n3 4\n",
     "space-separated, decimal point, names in a comment; comments start with #",
     {{"a", {1.5, 3}}, {"b", {2, 4}}}},
    {"ACommentSignOfOnesOwn",
     "! x\na,b\n1,2\n! y\n3,4\n",
     "comma-separated, 1 header row; comments start with !",
     {{"a", {1, 3}}, {"b", {2, 4}}},
     with(&TableWishes::comment, "!")},
    {"SkippedLines",
     "1,junk\na,b\n1,2\n",
     "comma-separated, 1 line skipped at the top, 1 header row",
     {{"a", {1}}, {"b", {2}}},
     with(&TableWishes::skipRows, "1")},
    {"HeaderRowsSet",
     "14,25\n15,26\n11,29\n",
     "comma-separated, 1 header row",
     {{"14", {15, 11}}, {"25", {26, 29}}},
     with(&TableWishes::headerRows, "1")},
    {"NoHeaderRowSet",
     "2018,2019\n20.5,10.5\n22.5,11.5\n22.5,11.5\n",
     "comma-separated, decimal point, no header row",
     {{"1", {2018, 20.5, 22.5, 22.5}}, {"2", {2019, 10.5, 11.5, 11.5}}},
     with(&TableWishes::headerRows, "0")},
};

const Kind kCells[] = {
    {"MarkersInTheFirstCell",
     "Date;a;b\n01.01.2021;?;40.51\n02.01.2021;?;45.98\n03.01.2021;25.17;48.53\n",
     "semicolon-separated, decimal point, 1 header row; missing: ?",
     {{"a", {kNone, kNone, 25.17}}, {"b", {40.51, 45.98, 48.53}}}},
    {"MarkersInAllCells",
     "a,b\n-,NULL\n1,2\n3,4\n",
     "comma-separated, 1 header row; missing: -, NULL",
     {{"a", {kNone, 1, 3}}, {"b", {kNone, 2, 4}}}},
    {"AnErrorAtTheBeginningOfALine",
     "a,b\n#N/A,1\n#DIV/0!,2\n3,4\n",
     "comma-separated, 1 header row; missing: #DIV/0!, #N/A",
     {{"a", {kNone, kNone, 3}}, {"b", {1, 2, 4}}}},
    {"MarkersOfOnesOwn",
     "a,b\n1,-999\n2,bad\n3,5\n",
     "comma-separated, 1 header row; missing: -999, bad",
     {{"a", {1, 2, 3}}, {"b", {kNone, kNone, 5}}},
     with(&TableWishes::missing, "bad, -999.0, -999")},
    {"Currency",
     "d,p\nx,$5.00\ny,-$6.50\nz,($7.25)\nw,USD 8\n",
     "comma-separated, decimal point, 1 header row",
     {{"p", {5, -6.5, -7.25, 8}}}},
    {"CurrencyBehind",
     "d;p\nx;5,00 €\ny;1.006,50 €\nz;-3 EUR\n",
     "semicolon-separated, decimal comma, thousands point, 1 header row",
     {{"p", {5, 1006.5, -3}}}},
    {"PerCent", "d,p\nx,1.94%\ny,-2.32 %\n", "comma-separated, decimal point, 1 header row", {{"p", {1.94, -2.32}}}},
    {"AnotherMinus",
     "a,b\n\u22125,1\n\u22126.5,+2\n",
     "comma-separated, decimal point, 1 header row",
     {{"a", {-5, -6.5}}, {"b", {1, 2}}}},
    {"Brackets",
     "a,b\n\"(1,234.00)\",1\n(2.5),2\n",
     "comma-separated, decimal point, thousands comma, 1 header row",
     {{"a", {-1234, -2.5}}, {"b", {1, 2}}}},
    {"Exponents",
     "a;b\n1,5E+03;1e-5\n+2,5;+7\n1,234E2;2E\u22121\n",
     "semicolon-separated, decimal comma, 1 header row",
     {{"a", {1500, 2.5, 123.4}}, {"b", {1e-5, 7, 0.2}}}},
    {"ReturnsAlone", "a,b\r1,2\r3,4", "comma-separated, 1 header row", {{"a", {1, 3}}, {"b", {2, 4}}}},
    {"EmptyRowsBetween",
     "a,b\n1,2\n,\n3,4\n,\n,\n",
     "comma-separated, 1 header row",
     {{"a", {1, kNone, 3}}, {"b", {2, kNone, 4}}}},
    {"TinyAndHuge",
     "a\n1e-310\n1.5e308\n1e-400\n",
     "one column, decimal point, 1 header row",
     {{"a", {1e-310, 1.5e308, 0}}}},
};

const auto kindName = [](const testing::TestParamInfo<Kind>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Thousands, TableKind, testing::ValuesIn(kThousands), kindName);
INSTANTIATE_TEST_SUITE_P(Delimiters, TableKind, testing::ValuesIn(kDelimiters), kindName);
INSTANTIATE_TEST_SUITE_P(Headers, TableKind, testing::ValuesIn(kHeaders), kindName);
INSTANTIATE_TEST_SUITE_P(Cells, TableKind, testing::ValuesIn(kCells), kindName);

TEST(TableKinds, EveryUsualMarkerIsMissingWhereverItStands)
{
    for (const char* marker :
         {"",  "?",  "#N/A", "N/A", "n/a", "<NA>", "None", "null",    "NULL",      "nil",     "missing",
          "-", "--", ".",    "*",   "NaN", "nan",  "NA",   "(blank)", "-nan(ind)", "#DIV/0!", "..."})
        for (const size_t at : {0U, 1U, 5U}) {
            std::string text = "Date;a;b\n";
            for (size_t row = 0; row < 6; ++row)
                text +=
                    fmt::format("0{}.01.2021;{};{}.5\n", row + 1, row == at ? marker : fmt::format("2{}.25", row), row);
            const NumberTable table = read(text);
            ASSERT_EQ(table.columns.size(), 2U) << marker << " in row " << at;
            for (size_t row = 0; row < 6; ++row)
                EXPECT_EQ(std::isnan(table.columns[0].values[row]), row == at) << marker << " in row " << at;
            EXPECT_EQ(table.columns[0].values[2], 22.25);
        }
}

/// The same table in every encoding.
TEST(TableKinds, Encodings)
{
    const std::string text = "Größe;€\r\n1.019,5;2\r\n7,5;\u22123\r\n";
    const auto utf16 = [&](bool big) {
        std::string bytes;
        for (const char16_t unit : std::u16string(u"Größe;€\r\n1.019,5;2\r\n7,5;\u22123\r\n")) {
            const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
            bytes += {big ? high : low, big ? low : high};
        }
        return bytes;
    };
    const std::string windows = "Gr\xF6\xDF"
                                "e;\x80\r\n1.019,5;2\r\n7,5;\x96"
                                "3\r\n";
    const std::pair<const char*, std::string> files[] = {
        {"", text},
        {"", "\xEF\xBB\xBF" + text},
        {"UTF-16 (little-endian), ", utf16(false)},
        {"UTF-16 (big-endian), ", utf16(true)},
        {"UTF-16 (little-endian), ", "\xFF\xFE" + utf16(false)},
        {"UTF-16 (big-endian), ", "\xFE\xFF" + utf16(true)},
        {"Windows-1252, ", windows},
    };
    for (const auto& [words, bytes] : files) {
        const NumberTable table = read(bytes);
        ASSERT_EQ(table.columns.size(), 2U) << words;
        EXPECT_EQ(table.columns[0].name, "Größe") << words;
        EXPECT_EQ(table.columns[1].name, "€") << words;
        EXPECT_THAT(table.columns[0].values, ElementsAre(1019.5, 7.5)) << words;
        EXPECT_THAT(table.columns[1].values, ElementsAre(2, -3)) << words;
        EXPECT_EQ(table.notes.front().sentence,
                  fmt::format("Read as: {}semicolon-separated, decimal comma, thousands point, 1 header row.", words));
    }
    EXPECT_EQ(read(windows, with(&TableWishes::encoding, "latin-1")).columns[0].name, "Größe");
    EXPECT_EQ(errorOf(text, with(&TableWishes::encoding, "ebcdic")),
              "encoding: expected auto, utf-8, utf-16le, utf-16be or windows-1252; got ebcdic");
}

/// 400 rows as a logger writes them: one decision for all, at any length.
TEST(TableKinds, LongColumnsDecideWithoutAHeader)
{
    for (const int digits : {1, 2, 3}) {
        std::string text;
        std::vector<double> right;
        for (int row = 0; row < 400; ++row) {
            const std::string number = fmt::format("{:.{}f}", 20 + 10 * std::sin(row / 7.0), digits);
            right.push_back(std::stod(number));
            text += number + "\n";
        }
        std::replace(text.begin(), text.end(), '.', ',');
        const NumberTable table = read(text);
        ASSERT_EQ(table.columns.size(), 1U) << digits;
        EXPECT_EQ(table.columns[0].values, right) << digits;
    }
}

} // namespace
} // namespace unroll
