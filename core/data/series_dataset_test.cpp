// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_dataset.h"

#include "core/base/sha256.h"
#include "core/data/waves.h"
#include "tests/support/test_folder.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace unroll {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

/// Two columns whose numbers are their own places: row, and 1000 + row.
NumberTable numbered(int64_t rows)
{
    NumberTable table{"t.csv", rows, {{"a", {}}, {"b", {}}}, {}};
    for (int64_t row = 0; row < rows; ++row) {
        table.columns[0].values.push_back(static_cast<double>(row));
        table.columns[1].values.push_back(static_cast<double>(1000 + row));
    }
    return table;
}

SeriesOptions plain(int64_t steps, int64_t horizon = 1, ReadingOrder order = ReadingOrder::Windows)
{
    SeriesOptions options;
    options.normalisation = Normalisation::None;
    options.validationFraction = 0.25;
    options.horizon = horizon;
    options.order = order;
    options.steps = steps;
    return options;
}

std::shared_ptr<const SeriesDataset> made(const NumberTable& table, const SeriesOptions& options)
{
    return SeriesDataset::fromTable(table, options).value();
}

struct Case {
    int64_t rows, steps, horizon, batch;
    ReadingOrder order;
};

class EveryRowOnce : public testing::TestWithParam<Case> {};

/// Whole-split evaluation asks for every row of the part once, and what is read lies a horizon before.
TEST_P(EveryRowOnce, InEvaluation)
{
    const auto [rows, steps, horizon, batchSize, order] = GetParam();
    const auto data = made(numbered(rows), plain(steps, horizon, order));
    for (const Split split : {Split::Train, Split::Validation}) {
        std::map<int, int> asked;
        for (int64_t index = 0; index < data->batchesInSplit(split, batchSize); ++index) {
            const Batch batch = data->evaluationBatch(split, index, batchSize);
            int64_t scored = 0;
            for (size_t i = 0; i < batch.values.size(); i += 2) {
                const bool real = batch.mask.empty() || batch.mask[i / 2] != 0;
                const float asks =
                    batch.features[i] + static_cast<float>(horizon); // before the part streams are warmed up
                const bool counts =
                    real && (split == Split::Train || asks >= static_cast<float>(*data->tokensIn(Split::Train)));
                EXPECT_EQ(std::isnan(batch.values[i]), !counts);
                scored += counts ? 2 : 0;
                if (!counts)
                    continue;
                ++asked[static_cast<int>(batch.values[i])];
                EXPECT_EQ(batch.values[i + 1], batch.values[i] + 1000);
                EXPECT_EQ(batch.features[i], batch.values[i] - static_cast<float>(horizon));
                EXPECT_EQ(batch.features[i + 1], batch.features[i] + 1000);
            }
            EXPECT_EQ(batch.scoredTargets(), scored);
        }
        const int64_t training = *data->tokensIn(Split::Train);
        const int64_t first = split == Split::Train ? horizon : training;
        const int64_t last = split == Split::Train ? training : rows;
        EXPECT_EQ(static_cast<int64_t>(asked.size()), last - first);
        for (const auto& [row, times] : asked)
            EXPECT_TRUE(times == 1 && row >= first && row < last) << row;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, EveryRowOnce,
    testing::Values(Case{100, 8, 1, 3, ReadingOrder::Windows}, Case{100, 8, 1, 3, ReadingOrder::Streams},
                    Case{97, 10, 5, 4, ReadingOrder::Windows}, Case{97, 10, 5, 4, ReadingOrder::Streams},
                    Case{40, 5, 0, 1, ReadingOrder::Windows}, Case{8, 5, 1, 7, ReadingOrder::Windows},
                    Case{60, 1, 20, 2, ReadingOrder::Streams}));

TEST(SeriesDataset, TrainingReadsTheTrainingPartAlone)
{
    for (const ReadingOrder order : {ReadingOrder::Windows, ReadingOrder::Streams}) {
        const auto data = made(numbered(100), plain(8, 2, order));
        EXPECT_EQ(data->carriesState(), order == ReadingOrder::Streams);
        for (int64_t step = 0; step < 50; ++step) {
            const Batch batch = data->batch(Split::Train, step, 3, 7);
            EXPECT_EQ(batch, data->batch(Split::Train, step, 3, 7)) << "of seed and step alone";
            for (size_t i = 0; i < batch.values.size(); i += 2) {
                EXPECT_LT(batch.values[i], 75);
                EXPECT_EQ(batch.features[i], batch.values[i] - 2);
            }
        }
        EXPECT_NE(data->batch(Split::Train, 0, 3, 7), data->batch(Split::Train, 1, 3, 7));
    }
    const auto data = made(numbered(100), plain(8));
    EXPECT_NE(data->batch(Split::Train, 0, 3, 7).features, data->batch(Split::Train, 0, 3, 8).features);
}

TEST(SeriesDataset, WindowsAreThoseOfShards)
{
    const auto data = made(numbered(100), plain(4));
    const Batch whole = data->batch(Split::Train, 5, 4, 1);
    const Batch first = data->batch(Split::Train, 20, 1, 1), last = data->batch(Split::Train, 23, 1, 1);
    EXPECT_EQ(whole.features[0], first.features[0]);
    EXPECT_EQ(whole.features[6], last.features[0]);
}

TEST(SeriesDataset, ScalesAreOfTheTrainingPartAlone)
{
    NumberTable table = numbered(8);
    table.columns[0].values = {1, 3, 1, 3, 1, 3, 1000, -1000};
    table.columns[1].values = {5, 5, 5, 5, 5, 5, 7, 5};
    SeriesOptions options = plain(2);
    options.normalisation = Normalisation::Standard;
    EXPECT_EQ(made(table, options)->scales(), (SeriesScales{{{"a", 2, 1}, {"b", 5, 1}}, {{"a", 2, 1}, {"b", 5, 1}}, 1}))
        << "a column that does not change is moved and not stretched";
    options.normalisation = Normalisation::MinMax;
    EXPECT_EQ(made(table, options)->scales().inputs, (std::vector<ColumnScale>{{"a", 1, 2}, {"b", 5, 1}}));
    const Batch batch = made(table, options)->evaluationBatch(Split::Train, 0, 1);
    EXPECT_THAT(batch.features, ElementsAre(0, 0, 1, 0));
}

TEST(SeriesDataset, NumbersFarFromZeroKeepTheirSpread)
{
    NumberTable table{"t.csv", 100, {{"time", {}}}, {}};
    for (int row = 0; row < 100; ++row)
        table.columns[0].values.push_back(1.7e9 + row % 2);
    SeriesOptions options = plain(4);
    options.normalisation = Normalisation::Standard;
    const Batch batch = made(table, options)->evaluationBatch(Split::Train, 0, 1);
    EXPECT_NEAR(batch.features[0], -1, 0.05);
    EXPECT_NEAR(batch.features[1], 1, 0.05);
}

TEST(SeriesDataset, MissingCellsAreFilledAsInputsAndNotAskedFor)
{
    NumberTable table = numbered(20);
    const double missing = std::nan("");
    table.columns[0].values[0] = table.columns[0].values[3] = table.columns[0].values[4] = missing;
    SeriesOptions options = plain(6, 0);
    options.inputColumns = options.targetColumns = "a";
    const auto data = made(table, options);
    const Batch batch = data->evaluationBatch(Split::Train, 0, 1);
    EXPECT_THAT(batch.features, ElementsAre(0, 1, 2, 2, 2, 5));
    EXPECT_TRUE(std::isnan(batch.values[0]) && std::isnan(batch.values[3]) && std::isnan(batch.values[4]));
    EXPECT_EQ(batch.values[2], 2);
    EXPECT_EQ(batch.scoredTargets(), 3);
    EXPECT_THAT(data->notices().at(0), HasSubstr("a (3)"));
    EXPECT_EQ(data->columns().at(0).missing, 3);
}

TEST(SeriesDataset, TheBaselineIsTheLastValueAgain)
{
    const auto steps = made(numbered(100), plain(4, 3));
    EXPECT_DOUBLE_EQ(steps->baseline({})->loss, 9) << "every column rises by one a row";
    EXPECT_FALSE(made(numbered(100), plain(4, 0))->baseline({}));
}

/// The loss counts a target whose last value is missing, so the guess does: it says the value before that.
TEST(SeriesDataset, TheBaselineIsOverTheTargetsOfTheLoss)
{
    const double missing = std::nan("");
    NumberTable table{"t.csv", 12, {{"a", {1, 2, 3, 4, 5, 6, 7, 8, 10, missing, missing, 20}}}, {}};
    for (const ReadingOrder order : {ReadingOrder::Windows, ReadingOrder::Streams}) {
        const auto data =
            made(table, plain(2, 1, order)); // rows 10 to 12, counted from 1, validate: two missing ones and 20
        EXPECT_DOUBLE_EQ(data->baseline({Split::Validation, 1, 0})->loss, 100) << "20 after 10, which was the last";
        EXPECT_DOUBLE_EQ(data->baseline({Split::Train, 4, 0})->loss, (7 * 1 + 4) / 8.0);
    }
    const auto windows = made(table, plain(2));
    EXPECT_DOUBLE_EQ(windows->baseline({Split::Train, 2, 1})->loss, 1) << "the first batch asks for rows 2 to 5";
    EXPECT_FALSE(windows->baseline({Split::Validation, 1, 1})) << "both targets of it are missing";
}

TEST(SeriesDataset, MayKeepATestPartAtItsEnd)
{
    SeriesOptions options = plain(4, 3);
    options.testFraction = 0.1;
    for (const ReadingOrder order : {ReadingOrder::Windows, ReadingOrder::Streams}) {
        options.order = order;
        const auto data = made(numbered(100), options);
        const auto told = [&](Split split) {
            std::vector<float> rows;
            for (int64_t i = 0; i < data->batchesInSplit(split, 1); ++i) {
                const Batch batch = data->evaluationBatch(split, i, 1);
                for (size_t at = 0; at < batch.values.size(); at += 2)
                    if (!std::isnan(batch.values[at]))
                        rows.push_back(batch.values[at]);
            }
            return rows;
        };
        EXPECT_THAT(told(Split::Train), AllOf(SizeIs(62), Each(Lt(65))));
        EXPECT_THAT(told(Split::Validation), AllOf(SizeIs(25), Each(AllOf(Ge(65), Lt(90)))));
        EXPECT_THAT(told(Split::Test), AllOf(SizeIs(10), Each(Ge(90))));
        EXPECT_THAT(told(Split::All), SizeIs(97));
        EXPECT_THAT(data->evaluationText(Split::Test), HasSubstr("rows 91 to 100 of 100 of t.csv, "));
        EXPECT_THAT(data->evaluationText(Split::All), HasSubstr("rows 4 to 100 of 100 of t.csv, "));
        EXPECT_DOUBLE_EQ(data->baseline({Split::Test})->loss, 9);
    }
    EXPECT_FALSE(made(numbered(100), plain(4))->has(Split::Test));
}

TEST(SeriesDataset, ReadsFilesOfTheirOwnForValidationAndTest)
{
    const TestFolder folder;
    const auto write = [&](const char* name, int from, int rows) {
        std::string text = "b,a\n";
        for (int row = from; row < from + rows; ++row)
            text += std::to_string(1000 + row) + "," + std::to_string(row) + "\n";
        writeContent(folder / name, text);
        return folder / name;
    };
    SeriesOptions options = plain(4, 2, ReadingOrder::Streams);
    options.file = write("train.csv", 0, 50);
    options.validationFile = write("val.csv", 100, 20);
    options.testFile = write("test.csv", 200, 10);
    const auto data = SeriesDataset::open(options).value();
    EXPECT_EQ(data->tokensIn(Split::Train), 50);
    const Batch validation = data->evaluationBatch(Split::Validation, 0, 1),
                test = data->evaluationBatch(Split::Test, 0, 1);
    EXPECT_EQ(validation.features[1], 100) << "its first rows are read alone";
    EXPECT_EQ(validation.values[1], 102);
    EXPECT_EQ(test.values[1], 202);
    EXPECT_THAT(data->evaluationText(Split::Validation), HasSubstr("rows 3 to 20 of 20 of "));
    EXPECT_THAT(data->evaluationText(Split::Validation), HasSubstr("val.csv, as one stream from a zero state"));
    EXPECT_DOUBLE_EQ(data->baseline({Split::All})->loss, 4) << "no row is told from another file's";
    writeContent(folder / "other.csv", "a,c\n1,2\n3,4\n");
    options.testFile = folder / "other.csv";
    EXPECT_THAT(SeriesDataset::open(options).error().text(), HasSubstr("other.csv: has no column \"b\""));
    writeContent(folder / "short.csv", "b,a\n1,2\n3,4\n");
    options.testFile = folder / "short.csv";
    EXPECT_THAT(SeriesDataset::open(options).error().text(),
                HasSubstr("with a horizon of 2 rows a target needs 3 rows"));
}

/// Each file is read by its own signs; what one leaves open is as in the first.
TEST(SeriesDataset, EachFileIsReadAsItIsWritten)
{
    const TestFolder folder;
    const auto write = [&](const char* name, const std::string& header, const std::function<std::string(int)>& row) {
        std::string text = header;
        for (int i = 0; i < 20; ++i)
            text += row(i);
        writeContent(folder / name, text);
        return folder / name;
    };
    SeriesOptions options = plain(4, 1);
    options.file = write("train.csv", "a;b\n", [](int i) { return fmt::format("{}.500;{},5\n", i + 1, i); });
    options.validationFile = write("val.csv", "a,b\n", [](int i) { return fmt::format("{},{}.5\n", 1000 * i, i); });
    options.testFile = write("open.csv", "a;b\n", [](int i) { return fmt::format("{}.250;{}\n", i + 1, i); });
    const auto data = SeriesDataset::open(options).value();
    EXPECT_EQ(data->evaluationBatch(Split::Train, 0, 1).values[0], 2500);
    EXPECT_EQ(data->evaluationBatch(Split::Validation, 0, 1).values[1], 1.5F);
    EXPECT_EQ(data->evaluationBatch(Split::Test, 0, 1).values[0], 2250) << "alone it would be 2.25";
    EXPECT_THAT(data->notices(), Contains(EndsWith("val.csv: Read as: comma-separated, decimal point, 1 header row.")));
}

TEST(SeriesDataset, ColumnsAreSummedUp)
{
    NumberTable table = numbered(1000);
    SeriesOptions options = plain(4);
    options.inputColumns = "b";
    options.targetColumns = "a";
    const auto columns = made(table, options)->columns();
    ASSERT_EQ(columns.size(), 2u);
    EXPECT_TRUE(columns[0].isTarget && !columns[0].isInput && columns[1].isInput && !columns[1].isTarget);
    EXPECT_EQ(columns[0].count, 1000);
    EXPECT_EQ(columns[0].least, 0);
    EXPECT_EQ(columns[0].mean, 499.5);
    EXPECT_EQ(columns[0].greatest, 999);
    EXPECT_EQ(static_cast<int64_t>(columns[0].low.size()), ColumnSummary::kPlaces);
    EXPECT_EQ(columns[0].low.front(), 0);
    EXPECT_EQ(columns[0].high.back(), 999);
}

TEST(SeriesDataset, SaysWhatDoesNotFit)
{
    const auto errorOf = [](int64_t rows, const SeriesOptions& options) {
        const auto data = SeriesDataset::fromTable(numbered(rows), options);
        return data ? "none" : data.error().text();
    };
    EXPECT_EQ(errorOf(10, plain(8)),
              "t.csv: is too short: one window of 8 steps needs 9 rows, and the training part has 7");
    SeriesOptions options = plain(2);
    options.inputColumns = "a, c";
    EXPECT_EQ(errorOf(40, options), "input_columns: there is no column \"c\"; there are a, b");
    options.inputColumns = "a,a";
    EXPECT_EQ(errorOf(40, options), "input_columns: the column \"a\" occurs twice");
    options = plain(2);
    options.targetColumns = "\"a";
    EXPECT_EQ(errorOf(40, options), "target_columns: unclosed quote in the list");
    options = plain(2);
    options.validationFraction = 0.001;
    EXPECT_THAT(errorOf(40, options), "none") << "one row is enough";
    EXPECT_THAT(made(numbered(40), plain(4))->accepts(100).error().text(), HasSubstr("enough for 7 sequences"));
}

TEST(SeriesDataset, NumbersAreNoText)
{
    const auto data = made(numbered(40), plain(4));
    EXPECT_EQ(data->classes(), 0);
    EXPECT_TRUE(data->encode("").value().empty());
    EXPECT_THAT(data->encode("fox").error().text(), HasSubstr("numbers"));
}

TEST(SeriesDataset, TheHashNamesWhatIsRead)
{
    const auto data = made(numbered(40), plain(4));
    EXPECT_EQ(data->contentHash(), made(numbered(40), plain(8))->contentHash()) << "batches are cut from the same rows";
    EXPECT_NE(data->contentHash(), made(numbered(40), plain(4, 2))->contentHash());
    EXPECT_NE(data->contentHash(), made(numbered(41), plain(4))->contentHash());
}

/// Batches of a published series never change.
TEST(Waves, AreWhatTheyAlwaysWere)
{
    const NumberTable waves = makeWaves();
    EXPECT_EQ(waves.rows, 6000);
    std::string text;
    for (const double value : waves.columns.at(0).values)
        text += std::to_string(std::lround(value * 1000)) + ' ';
    EXPECT_EQ(sha256(text), "85fd9b6e8be160c00de65a758490ba198577354daec72d88ce4d1861db5d3bb0");
    const auto data = made(waves, SeriesOptions{});
    const Batch batch = data->batch(Split::Train, 3, 2, 1);
    EXPECT_EQ(batch.steps, 64);
    EXPECT_NEAR(batch.features[0], -0.804777, 1e-5);
    EXPECT_NEAR(batch.values[1], -0.413637, 1e-5);
}

/// "1.040" is 1040 to a model that was trained on a thousand, and 1.04 to one that was trained on one.
TEST(SeriesDataset, WhatAFileLeavesOpenIsReadAsTheModelHasLearned)
{
    const TestFolder folder;
    const auto file = folder / "open.csv";
    writeContent(file, "m\n1.040\n1.050\n1.060\n");
    for (const double size : {1000.0, 1.0}) {
        SeriesOptions options = plain(1);
        options.file = file;
        options.toTrain = false;
        options.learned = {{{"m", size, 0.05 * size}}, {{"m", size, 0.05 * size}}, 1};
        const auto data = SeriesDataset::open(options);
        ASSERT_TRUE(data) << data.error().text();
        EXPECT_DOUBLE_EQ((*data)->columns()[0].least, 1.04 * size);
        std::vector<std::string> warnings;
        for (const DataNote& note : (*data)->notes())
            if (note.warning)
                warnings.push_back(note.sentence);
        EXPECT_THAT(warnings, Contains(::testing::AnyOf(HasSubstr("is ambiguous"), HasSubstr("does not show"))))
            << "and it is said";
    }
}

} // namespace
} // namespace unroll
