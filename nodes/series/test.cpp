// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/dataset.h"
#include "core/data/learned_data.h"
#include "tests/contract/block_case.h"
#include "tests/support/test_folder.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;
using ::testing::HasSubstr;

Result<std::shared_ptr<const Dataset>> openSeries(const Params& given, const std::string& folder = "",
                                                  const LearnedData& learned = {})
{
    const Params params = registry().find("series")->withDefaults(given);
    return builders().source("series")({params, folder, &learned});
}

std::string tableOfRows(int rows)
{
    std::string text = "date;a;b\n";
    for (int row = 0; row < rows; ++row)
        text += "2024-01-01;" + std::to_string(row) + ";" + std::to_string(row % 7) + ",5\n";
    return text;
}

} // namespace

TEST(Series, WithoutAFileIsTheWaves)
{
    const auto waves = openSeries({});
    ASSERT_TRUE(waves) << waves.error().text();
    EXPECT_EQ((*waves)->numbers().inputs, 1);
    EXPECT_EQ((*waves)->numbers().targets, 1);
    EXPECT_FALSE((*waves)->carriesState());
    ASSERT_TRUE((*waves)->baseline({}));
    EXPECT_NEAR((*waves)->baseline({})->loss, 0.124, 0.01) << "as the sines and the noise have it";
}

TEST(Series, LooksForRelativePathsInTheExperimentsFolder)
{
    const TestFolder folder;
    std::ofstream(folder / "some.csv") << tableOfRows(200);
    const auto found = openSeries({{"file", std::string("some.csv")},
                                   {"input_columns", std::string("a, b")},
                                   {"target_columns", std::string("b")},
                                   {"steps", std::int64_t{8}},
                                   {"order", std::string("streams")}},
                                  folder.path().string());
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ((*found)->numbers().inputs, 2);
    EXPECT_EQ((*found)->numbers().targets, 1);
    EXPECT_TRUE((*found)->carriesState());
    EXPECT_EQ((*found)->notices().front(), "Read as: semicolon-separated, decimal comma, 1 header row.");
    EXPECT_THAT((*found)->notices().at(1), HasSubstr("date"));
}

TEST(Series, ATrainedModelsColumnsAndScalesCountAndNotTheFiles)
{
    const TestFolder folder;
    std::ofstream(folder / "other.csv") << tableOfRows(200);
    const LearnedData learned{"", {{{"a", 100, 10}}, {{"b", 0, 1}}}};
    const Params params{{"file", std::string("other.csv")}, {"steps", std::int64_t{8}}};
    const auto found = openSeries(params, folder.path().string(), learned);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ((*found)->scales(), learned.scales);
    EXPECT_FLOAT_EQ((*found)->evaluationBatch(Split::Train, 0, 1).features.at(2), (2 - 100) / 10.F);
    const LearnedData others{"", {{{"speed", 0, 1}}, {{"b", 0, 1}}}};
    const auto refused = openSeries(params, folder.path().string(), others);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().text(), HasSubstr("there is no column \"speed\"; there are a, b"));
}

/// Every decision on how a table is written can be set, and what cannot be is refused at its parameter.
TEST(Series, TheFormatOfATableCanBeSet)
{
    const TestFolder folder;
    std::string text = "! made by hand\n1|2\nx|'y'\n";
    for (int row = 0; row < 40; ++row)
        text += std::to_string(row + 1) + ".125|'" + std::to_string(row % 7) + ",5'\n";
    std::ofstream(folder / "odd.txt") << text << "-1|-1\n";
    const Params params{{"file", std::string("odd.txt")},      {"steps", std::int64_t{4}},
                        {"delimiter", std::string("|")},       {"decimal", std::string(",")},
                        {"thousands", std::string(".")},       {"header_rows", std::string("1")},
                        {"skip_rows", std::string("2")},       {"comment", std::string("!")},
                        {"missing", std::string("-1")},        {"quote", std::string("'")},
                        {"encoding", std::string("utf-8")},    {"row_order", std::string("reversed")},
                        {"normalisation", std::string("none")}};
    const auto found = openSeries(params, folder.path().string());
    ASSERT_TRUE(found) << found.error().text();
    const std::vector<ColumnSummary> columns = (*found)->columns();
    ASSERT_EQ(columns.size(), 2U);
    EXPECT_EQ(columns[0].name, "x");
    EXPECT_EQ(columns[0].greatest, 40125) << "a point divides thousands";
    EXPECT_EQ(columns[1].greatest, 6.5);
    EXPECT_EQ(columns[0].missing + columns[1].missing, 2);
    EXPECT_EQ((*found)->evaluationBatch(Split::Train, 0, 1).features.at(2), 40125) << "the last row comes first";
    const std::pair<const char*, const char*> wrong[] = {
        {"delimiter", "many"}, {"decimal", "x"},  {"thousands", "many"}, {"header_rows", "-1"},
        {"skip_rows", "x"},    {"quote", "many"}, {"encoding", "morse"}, {"missing", "\"a"}};
    for (const auto& [param, value] : wrong) {
        Params given = params;
        given[param] = std::string(value);
        const auto refused = openSeries(given, folder.path().string());
        ASSERT_FALSE(refused) << param;
        EXPECT_EQ(refused.error().place, param);
    }
}

TEST(Series, ColumnsMayStayAsInTheFile)
{
    const TestFolder folder;
    std::ofstream(folder / "some.csv") << tableOfRows(200);
    const Params params{
        {"file", std::string("some.csv")}, {"steps", std::int64_t{8}}, {"unscaled_columns", std::string("b")}};
    const auto found = openSeries(params, folder.path().string());
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ((*found)->scales().inputs.at(1), (ColumnScale{"b", 0, 1}));
    EXPECT_NE((*found)->scales().inputs.at(0).shift, 0);
}

TEST(Series, SaysWhichColumnIsNotThere)
{
    const auto refused = openSeries({{"input_columns", std::string("wave, height")}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().place, "input_columns");
    EXPECT_EQ(refused.error().message, "there is no column \"height\"; there is wave");
}

TEST(Series, TheSameRowMayBeAskedForByABlockThatSeesAhead)
{
    const SourceFacts facts{.steps = 8, .inputs = 2, .targets = 1};
    for (const std::int64_t horizon : {0, 3}) {
        const Params params = registry().find("series")->withDefaults({{"horizon", horizon}});
        InferScope scope(params, {}, &facts);
        registry().find("series")->infer(scope);
        EXPECT_EQ(scope.outputs().at("targets").ahead, horizon > 0);
        EXPECT_EQ(scope.outputs().at("targets").width, 1);
        EXPECT_EQ(scope.outputs().at("features").width, 2);
    }
}

} // namespace unroll::nodes
