// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_series.h"

#include "core/data/test_labelled.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using namespace testing_labelled;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Numbers as they stand in the file.
auto openSeries(std::string_view bytes, const LabelledSeriesOptions& options = {.normalisation = Normalisation::None})
{
    return openBytes<LabelledSeries>(bytes, options);
}

std::string errorOf(std::string_view bytes, const LabelledSeriesOptions& options = {})
{
    return errorIn(openSeries(bytes, options));
}

/// "1 2 3=up" of each series in the file's order; columns of a step side by side.
std::vector<std::string> seriesOf(const Dataset& data)
{
    std::vector<std::string> all;
    const auto width = static_cast<size_t>(data.numbers().inputs);
    for (int64_t i = 0; i < data.batchesInSplit(Split::All, 1); ++i) {
        const Batch batch = data.evaluationBatch(Split::All, i, 1);
        const auto real = static_cast<size_t>(realSteps(batch));
        std::string text;
        for (size_t k = 0; k < real * width; ++k)
            text += fmt::format("{}{}", k == 0 ? "" : k % width == 0 ? " " : "/", batch.features[k]);
        all.push_back(text + "=" + labelOf(data, batch));
    }
    return all;
}

constexpr const char* kRows = "label,a,b,c\nup,1,2,3\ndown,3,2,1\nup,2,3,4\ndown,4,3,2\n";

TEST(LabelledSeries, ARowIsASeries)
{
    for (const std::string& text :
         {std::string(kRows),
          std::string("\xEF\xBB\xBF") + "up;1,0;2,0;3,0\r\ndown;3,0;2,0;1,0\r\nup;2,0;3,0;4,0\r\ndown;4,0;3,0;2,0\r\n",
          std::string("up\t1\t2\t3\ndown\t3\t2\t1\nup\t2\t3\t4\ndown\t4\t3\t2\n"),
          std::string("{\"kind\": \"up\", \"v\": [1, 2, 3]}\n{\"kind\": \"down\", \"v\": [3, 2, 1]}\n{\"v\": [2, 3, "
                      "4], \"kind\": \"up\"}\n"
                      "{\"kind\": \"down\", \"v\": [4, 3, 2]}\n")}) {
        const auto data = openSeries(text);
        ASSERT_TRUE(data) << text << data.error().text();
        EXPECT_THAT(seriesOf(**data), ElementsAre("1 2 3=up", "3 2 1=down", "2 3 4=up", "4 3 2=down")) << text;
        EXPECT_EQ((*data)->numbers().inputs, 1);
    }
}

/// As archives of classified series have them: the class first, blanks between, no names.
TEST(LabelledSeries, ClassesOfNumbersStandFirst)
{
    const auto data = openSeries("1 0.5 0.25 3\n2 3 0.25 0.5\n1 0.5 0.75 4\n2 4 0.75 0.5\n");
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(seriesOf(**data), ElementsAre("0.5 0.25 3=1", "3 0.25 0.5=2", "0.5 0.75 4=1", "4 0.75 0.5=2"));
}

TEST(LabelledSeries, RowsMayDifferInLength)
{
    const auto data = openSeries("up,1,2\ndown,3,2,1\nup,2,3,4,5\ndown,4\n");
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(seriesOf(**data), ElementsAre("1 2=up", "3 2 1=down", "2 3 4 5=up", "4=down"));
    const auto filled = openSeries("label,a,b,c\nup,1,2,\ndown,3,2,1\nup,2,,4\ndown,4,,\n");
    ASSERT_TRUE(filled) << filled.error().text();
    EXPECT_THAT(seriesOf(**filled), ElementsAre("1 2=up", "3 2 1=down", "2 2 4=up", "4=down"))
        << "a gap repeats the number before it";
    EXPECT_THAT(errorOf("1,2,3,up\n3,2,down\n1,2,2,up\n3,1,1,down\n", {.labelColumn = "4"}), HasSubstr("line 2"));
    EXPECT_THAT(errorOf("a,b,c,label\n1,2,3,up\n3,2,down\n1,2,2,up\n3,1,1,down\n"), HasSubstr("line 3"));
}

TEST(LabelledSeries, RowsWithOneIdAreASeries)
{
    const std::string text =
        "id,x,y,label\nA,1,10,p\nA,2,20,p\nB,3,30,q\nA,4,40,\nB,5,50,q\nC,6,60,p\nC,7,70,p\nD,8,80,q\nD,9,90,q\n";
    for (const std::string& id : {std::string(), std::string("id")}) {
        const auto data = openSeries(text, {.idColumn = id, .normalisation = Normalisation::None});
        ASSERT_TRUE(data) << data.error().text();
        EXPECT_THAT(seriesOf(**data), ElementsAre("1/10 2/20 4/40=p", "3/30 5/50=q", "6/60 7/70=p", "8/80 9/90=q"));
        EXPECT_THAT(notesOf(**data),
                    Contains(HasSubstr("labels from column label, rows with the same id form a series.")));
    }
    const auto rows = openSeries("id,a,b,label\n1,1,2,p\n1,2,1,q\n2,1,2,p\n2,2,1,q\n",
                                 {.idColumn = "-", .normalisation = Normalisation::None});
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_EQ(seriesOf(**rows).front(), "1 1 2=p");
    EXPECT_EQ(errorOf("id,x,label\nA,1,p\nA,2,q\nB,1,p\nB,2,p\n", {.idColumn = "id"}),
              "the series A has the label p in line 2 and q in line 3");
    EXPECT_THAT(errorOf(text, {.idColumn = "who"}), StartsWith("id_column: there is no column who"));
}

/// An id that is only there is found by its name where its rows agree.
TEST(LabelledSeries, AnIdIsFoundByItsName)
{
    const auto data = openSeries("Sequence_ID,x,class\nA,1,p\nA,2,p\nB,3,q\nB,5,q\nC,6,p\nC,7,p\nD,8,q\nD,9,q\n");
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(seriesOf(**data), ElementsAre("1 2=p", "3 5=q", "6 7=p", "8 9=q"));
}

TEST(LabelledSeries, ListsOfListsHaveTheirColumns)
{
    const auto data = openSeries(
        "{\"label\": 0, \"points\": [[1, 5], [2, 6]], \"t\": [0, 1]}\n{\"label\": 1, \"points\": [[3, 7]], \"t\": "
        "[null]}\n"
        "{\"label\": 0, \"points\": [[1, 1]], \"t\": [2]}\n{\"label\": 1, \"points\": [[2, 2]], \"t\": [3]}\n");
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(seriesOf(**data), ElementsAre("1/5/0 2/6/1=0", "3/7/0=1", "1/1/2=0", "2/2/3=1"));
    EXPECT_EQ((*data)->scales().inputs.front().name, "points.1");
    EXPECT_EQ(errorOf("{\"label\": 0, \"a\": [1, 2], \"b\": [1]}\n"),
              "line 1: a has 2 steps and b has 1; lists of one series must have equal length");
    EXPECT_EQ(errorOf("{\"label\": 0, \"a\": [[1, 2], [3]]}\n"),
              "line 1: the entries of a must all be numbers, or lists of equal length");
    EXPECT_EQ(errorOf("{\"label\": 0, \"a\": [1]}\n{\"label\": 0}\n"),
              "the object in line 1 has a list of numbers, and that in line 2 has none");
    const auto empty = openSeries("{\"label\": 0, \"a\": [1]}\n{\"label\": 1, \"a\": []}\n{\"label\": 1, \"a\": "
                                  "[2]}\n{\"label\": 0, \"a\": [3]}\n{\"label\": 1, \"a\": [2]}\n");
    ASSERT_TRUE(empty) << empty.error().text();
    EXPECT_THAT(notesOf(**empty), Contains("One series is without steps, the first in line 2: left out."));
}

TEST(LabelledSeries, WhatIsWrongIsSaid)
{
    EXPECT_EQ(errorOf("label,a,b\n"), "has a header and no rows below it");
    EXPECT_EQ(errorOf("label,a,b\n", {.table = {.headerRows = "1"}}), "has no rows below its header");
    EXPECT_EQ(errorOf("label,a,b\nup,1,2\ndown,oops,1\nup,2,3\ndown,3,1\n"),
              "line 3, column a: \"oops\" is not a number");
    EXPECT_EQ(errorOf("label,a\nup,1\nup,2\nup,3\n"), "every sequence has the label up: there is nothing to learn");
    EXPECT_THAT(errorOf("a,b\n1.5,2\n3,4\n5,6\n7,8\n"),
                HasSubstr("looks like labels, which occur several times each; it has a, b"));
    EXPECT_THAT(errorOf(kRows, {.inputColumns = "a, z"}), StartsWith("input_columns: there is no column z"));
    EXPECT_THAT(errorOf(kRows, {.inputColumns = "label"}),
                StartsWith("input_columns: column label cannot be read: it is the label"));
    EXPECT_EQ(errorOf(kRows, {.longest = 0}), "longest: expected at least 1 step; got 0");
    const auto data = openSeries("label,a,who,b\nup,1,Ann,2\n,3,Bob,1\ndown,3,Cy,1\nup,2,Di,3\ndown,4,Ed,2\n");
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(notesOf(**data), Contains("One column holds no numbers and is left out: who."));
    EXPECT_THAT(notesOf(**data), Contains("One series has no label, the first in line 3: left out."));
    const auto cut = openSeries(kRows, {.normalisation = Normalisation::None, .longest = 2});
    ASSERT_TRUE(cut) << cut.error().text();
    EXPECT_EQ(seriesOf(**cut).front(), "1 2=up");
    EXPECT_THAT(notesOf(**cut), Contains("4 series are longer than 2 steps: truncated."));
}

TEST(LabelledSeries, FormatsCanBeSet)
{
    const auto data = openSeries("up;-9;2;3\ndown;3;2;1\nup;2;3;4\ndown;4;3;2\n",
                                 {.table = {.missing = "-9"}, .normalisation = Normalisation::None});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_EQ(seriesOf(**data).front(), "0 2 3=up") << "missing at the beginning";
}

TEST(LabelledSeries, ColumnsAreScaledByTheTrainingPart)
{
    std::string text = "label,a,b\n";
    for (int i = 0; i < 10; ++i)
        text += fmt::format("{},{},{}\n", i < 8 ? i % 2 : i % 2, i < 8 ? i : 1000 + i, i < 8 ? i + 1 : 2000);
    const auto data = openSeries(text, {.normalisation = Normalisation::Standard, .split = {.byOrder = true}});
    ASSERT_TRUE(data) << data.error().text();
    const ColumnScale scale = (*data)->scales().inputs.front();
    EXPECT_NEAR(scale.shift, 4, 1e-12) << "of 0 1 1 2 2 3 ... 7 8";
    const Batch batch = (*data)->evaluationBatch(Split::All, 3, 1);
    EXPECT_NEAR(batch.features.front(), (3 - scale.shift) / scale.scale, 1e-6);
    EXPECT_THAT(errorOf("label,a\nx,1e300\ny,-1e300\nx,2\ny,3\n", {.normalisation = Normalisation::None}),
                HasSubstr("a"));
}

TEST(LabelledSeries, ColumnsMayStayAsInTheFile)
{
    const std::string rows = "id,label,dt,a\nA,x,1,5\nA,x,2,6\nB,y,3,7\nB,y,4,9\nC,x,1,5\nC,x,2,6\n";
    const auto data = openSeries(rows, {.unscaledColumns = "dt"});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_EQ((*data)->scales().inputs.front(), (ColumnScale{"dt", 0, 1}));
    EXPECT_NE((*data)->scales().inputs.back().shift, 0);
    EXPECT_EQ(errorOf(rows, {.unscaledColumns = "time"}), "no column \"time\" is read or forecast; there are dt, a");
}

/// As eval with other data: the columns by their names, in whatever order they stand, and with the scales that were
/// learned.
TEST(LabelledSeries, ATrainedModelsColumnsAreKept)
{
    const SeriesScales learned{{{"x", 1, 2}, {"y", 0, 10}}, {}, 0};
    const auto data =
        openSeries("id,y,x,label\nA,10,1,p\nA,20,3,p\nB,30,5,q\n",
                   {.idColumn = "id", .split = {.toTrain = false}, .learned = learned, .labels = {"q", "p"}});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT(seriesOf(**data), ElementsAre("0/1 1/2=p", "2/3=q"));
    EXPECT_EQ((*data)->scales(), learned);
    EXPECT_THAT(errorOf("id,y,z,label\nA,10,1,p\nB,30,5,q\n",
                        {.idColumn = "id", .split = {.toTrain = false}, .learned = learned, .labels = {"q", "p"}}),
                HasSubstr("there is no column x"));
}

TEST(LabelledSeries, TheChirpsAreToldApartByTheirOrderAlone)
{
    const auto data = LabelledSeries::open({});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_THAT((*data)->labels(), ElementsAre("falling", "rising"));
    EXPECT_THAT((*data)->describe(),
                HasSubstr("1,200 series of at most 64 steps, 960 for training, 240 for validation"));
    EXPECT_NEAR((*data)->scales().inputs.front().shift, 0, 0.05);
}

} // namespace
} // namespace unroll
