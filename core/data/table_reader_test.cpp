// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table_reader.h"

#include "core/data/random.h"
#include "core/data/test_tables.h"
#include "tests/support/test_folder.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_tables;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> namesOf(const NumberTable& table)
{
    std::vector<std::string> names;
    for (const NumberColumn& column : table.columns)
        names.push_back(column.name);
    return names;
}

std::vector<std::string> leftOutOf(const NumberTable& table)
{
    std::vector<std::string> names;
    for (const LeftOutColumn& column : table.leftOut)
        names.push_back(column.name);
    return names;
}

TEST(TableReader, FindsHeaderAndDelimiter)
{
    for (const char delimiter : {',', ';', '\t'}) {
        std::string text = "a,b\n1,2.5\n3,-4e-2\n";
        std::replace(text.begin(), text.end(), ',', delimiter);
        const auto table = readTable(text, "t.csv");
        ASSERT_TRUE(table) << table.error().text();
        EXPECT_EQ(table->rows, 2);
        EXPECT_THAT(namesOf(*table), ElementsAre("a", "b"));
        EXPECT_THAT(table->columns[0].values, ElementsAre(1, 3));
        EXPECT_THAT(table->columns[1].values, ElementsAre(2.5, -0.04));
    }
}

TEST(TableReader, WithoutAHeaderColumnsAreNumbered)
{
    const auto table = readTable("1,2\n3,4\n5,6", "t.csv");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->rows, 3);
    EXPECT_THAT(namesOf(*table), ElementsAre("1", "2"));
    const auto dated = readTable("2024-01-01,1\n2024-01-02,2\n", "t.csv");
    ASSERT_TRUE(dated) << "a first row with a number in it, and no word above one, is a row";
    EXPECT_THAT(dated->columns.at(0).values, ElementsAre(1, 2));
    EXPECT_THAT(leftOutOf(*dated), ElementsAre("1"));
}

TEST(TableReader, AWordAboveANumberMakesAHeader)
{
    const auto table = readTable("country,2019,rate\nA,5,1\nB,6,2\n", "t.csv");
    ASSERT_TRUE(table);
    EXPECT_THAT(namesOf(*table), ElementsAre("2019", "rate"));
    EXPECT_EQ(table->rows, 2);
}

TEST(TableReader, NamesAreNeverEmptyNorAlike)
{
    const auto table = readTable("x,,x,\"a \"\"b\"\", c\"\n1,2,3,4\n", "t.csv");
    ASSERT_TRUE(table);
    EXPECT_THAT(namesOf(*table), ElementsAre("x", "2", "x (2)", "a \"b\", c"));
}

TEST(TableReader, LineEndsMarksAndBlankLinesDoNotCount)
{
    const auto plain = readTable("a,b\n1,2\n3,4\n", "t.csv");
    for (const char* other : {"a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4",
                              "\xEF\xBB\xBF"
                              "a,b\n1,2\n3,4",
                              "\n\n a , b \n\n  \n1 , 2\n\n3,4\n\n\n", "\"a\",\"b\"\n\"1\",\"2\"\n3,4"}) {
        const auto table = readTable(other, "t.csv");
        ASSERT_TRUE(table) << other << table.error().text();
        EXPECT_EQ(table->columns, plain->columns) << other;
    }
}

TEST(TableReader, DecimalCommasWhereTheDelimiterIsNone)
{
    const auto table = readTable("t;v\n1,5;-0,25\n2,5;1e3\n", "t.csv");
    ASSERT_TRUE(table);
    EXPECT_THAT(table->columns[0].values, ElementsAre(1.5, 2.5));
    EXPECT_THAT(table->columns[1].values, ElementsAre(-0.25, 1000));
}

TEST(TableReader, EmptyCellsAreMissing)
{
    const auto table = readTable("a,b,c\n,1,\nNA,2,\n3,nan,\nnull,N/A,\n", "t.csv");
    ASSERT_TRUE(table) << table.error().text();
    EXPECT_EQ(table->rows, 4);
    EXPECT_THAT(leftOutOf(*table), ElementsAre("c")) << "nothing is in it";
    EXPECT_TRUE(std::isnan(table->columns[0].values[0]));
    EXPECT_EQ(table->columns[0].values[2], 3);
    EXPECT_TRUE(std::isnan(table->columns[1].values[3]));
}

TEST(TableReader, SaysLineAndColumnOfWhatIsNoNumber)
{
    std::string text = "a,b,c\n";
    for (int row = 0; row < 15; ++row)
        text += "1,2,3\n";
    EXPECT_EQ(errorOf(text + "1,2,abc\n"), "t.csv: line 17, column 3: \"abc\" is not a number");
    EXPECT_EQ(errorOf("a,b\n1,2\n\n\n3,1.2.3\n"), "t.csv: line 5, column 2: \"1.2.3\" is not a number");
    EXPECT_EQ(errorOf("a,b\n1,2\n3,-inf\n"),
              "t.csv: line 3, column 2: \"-inf\" is not a finite number; if it means missing, set missing to -inf");
    EXPECT_EQ(errorOf("a,b\n1,2\n3,1e999\n"),
              "t.csv: line 3, column 2: \"1e999\" exceeds the range of double precision");
    EXPECT_THAT(errorOf("a,b\n1,2\n3,\"" + std::string(100, 'x') + "\"\n"), HasSubstr("xxx…\" is not a number"));
}

TEST(TableReader, SaysWhichRowHasOtherCells)
{
    EXPECT_EQ(errorOf("a,b\n1,2\n3\n"), "t.csv: line 3 has 1 cell; the first row has 2");
    EXPECT_EQ(errorOf("a,b\n1,2\n3,4,5\n"), "t.csv: line 3 has 3 cells; the first row has 2");
}

TEST(TableReader, SaysWhichQuoteDoesNotFit)
{
    EXPECT_EQ(errorOf("a,b\n1,\"2\n3,4\n"), "t.csv: line 2, column 2: unclosed quote");
    EXPECT_EQ(errorOf("a,b\n\"1\"2,3\n"), "t.csv: line 2, column 1: there is text after the closing quote");
}

TEST(TableReader, RefusesWhatIsNoTable)
{
    EXPECT_EQ(errorOf(""), "t.csv: contains no rows");
    EXPECT_EQ(errorOf("\n \n"), "t.csv: contains no rows");
    EXPECT_EQ(errorOf("a,b\n"), "t.csv: has a header and no rows below it");
    EXPECT_EQ(errorOf("Once there was a fox.\nAnd a hen.\n"), "t.csv: has no numeric column");
    EXPECT_EQ(errorOf("\xFF\xFE"), "t.csv: contains no rows");
    const std::string zip = "PK\x03\x04" + std::string(26, 'x'); // the name of the first entry is behind it
    EXPECT_THAT(errorOf(zip + "[Content_Types].xml"), HasSubstr("is a workbook (Excel, LibreOffice): save the sheet"));
    EXPECT_THAT(errorOf(zip + "a/b and PK [Content_Types].xml"), HasSubstr("is a workbook"));
    EXPECT_THAT(errorOf(zip + "mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), HasSubstr("is a workbook"));
    EXPECT_THAT(errorOf(zip + "aclImdb/train/pos/0_9.txt"), HasSubstr("is a zip archive: unpack it first"));
    EXPECT_THAT(errorOf(zip.substr(0, 8)), HasSubstr("is a zip archive: unpack it first"));
    EXPECT_THAT(errorOf("\n<!DOCTYPE html><table>"), HasSubstr("web page"));
    EXPECT_THAT(errorOf(std::string(5000, ',')), HasSubstr("the limit is 4,096"));
}

TEST(TableReader, ALineEndInQuotesCountsAsALine)
{
    EXPECT_EQ(errorOf("n,v\n\"two\nlines\",1\nb,x\n"), "t.csv: line 4, column 2: \"x\" is not a number");
}

TEST(TableReader, NamesOfAFileAreMadeUtf8)
{
    const auto table = readTable("Gr\xF6\xDF"
                                 "e,b\n1,2\n",
                                 "t.csv");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->columns[0].name, "Größe") << "Latin-1";
}

TEST(TableReader, AFileIsNamedAndItsSizeBounded)
{
    const TestFolder folder;
    writeContent(folder / "a.csv", "a\n1\n2\n");
    const auto table = openTable(folder / "a.csv");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->rows, 2);
    EXPECT_THAT(openTable(folder / "a.csv", {}, 10).error().text(), HasSubstr("a.csv"));
    EXPECT_THAT(openTable(folder / "b.csv").error().text(), HasSubstr("b.csv"));
}

TEST(TableReader, ListsOfNamesAreRead)
{
    EXPECT_THAT(readNames("a, b ,\"c, d\"").value(), ElementsAre("a", "b", "c, d"));
    EXPECT_FALSE(readNames("a,\"b"));
    const std::vector<std::string> names{"a", "b c", "d, e", "f \"g\"", " h"};
    EXPECT_EQ(readNames(listOfNames(names)).value(), names);
}

/// A table of random shape and numbers, written in a random way.
class RandomTable {
public:
    explicit RandomTable(uint64_t seed) : m_random(seed, 0x7461626c65)
    {
        constexpr char delimiters[] = {',', ';', '\t'};
        m_delimiter = delimiters[m_random.below(3)];
        m_decimal = m_delimiter == ';' && m_random.below(2) == 0 ? ',' : '.';
        m_columns.resize(1 + m_random.below(5));
        const size_t rows = 2 + m_random.below(30);
        for (auto& column : m_columns)
            for (size_t row = 0; row < rows; ++row)
                column.push_back(row > 0 && m_random.below(8) == 0 ? std::nan("") : number());
    }

    std::string text()
    {
        std::string written = m_random.below(2) == 0 ? "\xEF\xBB\xBF" : "";
        m_named = m_random.below(2) == 0;
        for (size_t i = 0; m_named && i < m_columns.size(); ++i)
            written += fmt::format("{}column {}", i == 0 ? "" : std::string(1, m_delimiter), i);
        written += m_named ? lineEnd() : "";
        for (size_t row = 0; row < m_columns[0].size(); ++row) {
            for (size_t i = 0; i < m_columns.size(); ++i)
                written += (i == 0 ? "" : std::string(1, m_delimiter)) + cell(m_columns[i][row], i == 0);
            written += lineEnd();
        }
        return written;
    }
    const std::vector<std::vector<double>>& columns() const { return m_columns; }
    bool named() const { return m_named; }

private:
    double number()
    {
        return (static_cast<double>(m_random.next() >> 11) * 0x1p-53 - 0.5) *
               std::pow(10, static_cast<double>(m_random.below(12)) - 4);
    }
    std::string lineEnd() { return m_random.below(2) == 0 ? "\n" : "\r\n"; }
    std::string cell(double value, bool isFirst)
    {
        // A row with nothing in it would be a blank line, or one that is left out at the end.
        if (std::isnan(value))
            return isFirst || m_random.below(2) == 0 ? "NA" : "";
        std::string text = fmt::format("{}", value);
        std::replace(text.begin(), text.end(), '.', m_decimal);
        return m_random.below(4) == 0 ? '"' + text + '"' : m_random.below(4) == 0 ? "  " + text + " " : text;
    }

    Random m_random;
    char m_delimiter = ',';
    char m_decimal = '.';
    bool m_named = false;
    std::vector<std::vector<double>> m_columns;
};

TEST(TableReader, RandomTablesComeBackToTheBit)
{
    for (uint64_t seed = 0; seed < 300; ++seed) {
        RandomTable made(seed);
        const std::string text = made.text();
        const auto table = readTable(text, "t.csv");
        ASSERT_TRUE(table) << seed << ": " << table.error().text() << "\n" << text;
        ASSERT_EQ(table->columns.size(), made.columns().size()) << seed << "\n" << text;
        for (size_t i = 0; i < made.columns().size(); ++i) {
            EXPECT_EQ(table->columns[i].name, made.named() ? fmt::format("column {}", i) : std::to_string(i + 1));
            ASSERT_EQ(table->columns[i].values.size(), made.columns()[i].size()) << seed;
            for (size_t row = 0; row < made.columns()[i].size(); ++row)
                EXPECT_TRUE(table->columns[i].values[row] == made.columns()[i][row] ||
                            (std::isnan(table->columns[i].values[row]) && std::isnan(made.columns()[i][row])))
                    << seed << " row " << row;
        }
    }
}

TEST(TableReader, DamagedTextsGiveATableOrAnErrorThatNamesTheFile)
{
    Random random(5, 0x64616d61676564);
    for (uint64_t seed = 0; seed < 500; ++seed) {
        std::string text = RandomTable(seed).text();
        for (int hits = 0; hits < 4; ++hits) {
            constexpr std::string_view signs = "\",;\t\n\r\0x\xFF ";
            text[random.below(text.size())] = signs[random.below(signs.size())];
        }
        const auto table = readTable(text, "t.csv");
        if (!table) {
            EXPECT_TRUE(table.error().place == "t.csv" && !table.error().message.empty());
            continue;
        }
        EXPECT_GT(table->rows, 0);
        for (const NumberColumn& column : table->columns)
            EXPECT_EQ(static_cast<int64_t>(column.values.size()), table->rows);
    }
}

} // namespace
} // namespace unroll
