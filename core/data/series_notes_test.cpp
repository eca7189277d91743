// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_notes.h"

#include "core/data/table_reader.h"
#include "tests/support/test_folder.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Settings = std::vector<std::pair<std::string, std::string>>;

NumberTable tableOf(const std::string& text)
{
    auto table = readTable(text, "t.csv");
    EXPECT_TRUE(table) << table.error().text();
    return table ? *table : NumberTable{};
}

SeriesOptions small()
{
    SeriesOptions options;
    options.steps = 2;
    options.validationFraction = 0.25;
    return options;
}

std::shared_ptr<const SeriesDataset> made(const NumberTable& table, const SeriesOptions& options = small())
{
    auto data = SeriesDataset::fromTable(table, options);
    EXPECT_TRUE(data) << data.error().text();
    return *data;
}

/// The note of this kind, or one without a sentence.
DataNote noteOf(const Dataset& data, const std::string& code)
{
    for (const DataNote& note : data.notes())
        if (note.code == code)
            return note;
    return DataNote("");
}

/// Rows of one column after another: what stands in row i.
std::string rowsOf(int rows, const std::string& header, const std::function<std::string(int)>& row)
{
    std::string text = header + "\n";
    for (int i = 0; i < rows; ++i)
        text += row(i) + "\n";
    return text;
}

double wave(int row)
{
    return 20 + 10 * std::sin(row / 3.0);
}

TEST(SeriesNotes, ColumnsThatCountOrDateRowsAreNamedWithARemedy)
{
    const std::pair<std::string, std::function<std::string(int)>> kinds[] = {
        {"counts up by 1", [](int i) { return std::to_string(i); }},
        {"counts up by 1", [](int i) { return std::to_string(i + 17); }},
        {"time stamps", [](int i) { return std::to_string(1609459200000 + 3600000LL * i); }},
        {"time stamps", [](int i) { return std::to_string(1609459200 + 3600LL * i + i % 3); }},
        {"time stamps", [](int i) { return std::to_string(1609459200000000000LL + 3600000000000LL * i); }},
        {"dates", [](int i) { return std::to_string(20210101 + i); }},
        {"rises in equal steps", [](int i) { return fmt::format("{:.2f}", 0.25 * i); }},
    };
    for (const auto& [kind, stampOf] : kinds) {
        const auto& stamp = stampOf; // clang before 16 captures no structured binding
        const auto data =
            made(tableOf(rowsOf(28, ",load", [&](int i) { return fmt::format("{},{:.2f}", stamp(i), wave(i)); })));
        const DataNote note = noteOf(*data, "time-column");
        EXPECT_THAT(note.sentence, HasSubstr("1 (" + kind + ")"));
        EXPECT_EQ(note.settings, (Settings{{"input_columns", "load"}, {"target_columns", "load"}}));
        SeriesOptions chosen = small();
        chosen.targetColumns = "load";
        const auto targeted = made(
            tableOf(rowsOf(28, ",load", [&](int i) { return fmt::format("{},{:.2f}", stamp(i), wave(i)); })), chosen);
        EXPECT_EQ(noteOf(*targeted, "time-column").settings, (Settings{{"input_columns", "load"}}));
        chosen.inputColumns = "load, 1";
        const auto told = made(
            tableOf(rowsOf(28, ",load", [&](int i) { return fmt::format("{},{:.2f}", stamp(i), wave(i)); })), chosen);
        EXPECT_EQ(noteOf(*told, "time-column").sentence, "") << "who chooses it means it";
    }
    const auto plain =
        made(tableOf(rowsOf(28, "load,meter", [](int i) { return fmt::format("{:.2f},{}", wave(i), 1000 + i * i); })));
    EXPECT_EQ(noteOf(*plain, "time-column").sentence, "") << "a meter that rises is a measurement";
    const auto few =
        made(tableOf(rowsOf(28, "time,load", [](int i) { return fmt::format("{},{:.2f}", i * i, wave(i)); })));
    EXPECT_THAT(noteOf(*few, "time-column").sentence, testing::Not(HasSubstr("time stamps")))
        << "no unit makes it a date";
}

TEST(SeriesNotes, TheNewestRowFirstIsSaidAndTurnedRound)
{
    const TestFolder folder;
    const auto day = [](int i) { return fmt::format("2021-{:02}-{:02}", 1 + i / 28, 1 + i % 28); };
    writeContent(folder / "new.csv",
                 rowsOf(40, "Date,Price", [&](int i) { return fmt::format("{},{:.2f}", day(39 - i), wave(i)); }));
    writeContent(folder / "old.csv",
                 rowsOf(40, "Date,Price", [&](int i) { return fmt::format("{},{:.2f}", day(i), wave(39 - i)); }));
    SeriesOptions options = small();
    options.file = folder / "new.csv";
    const auto newest = SeriesDataset::open(options).value();
    const DataNote note = noteOf(*newest, "newest-first");
    EXPECT_TRUE(note.warning);
    EXPECT_THAT(note.sentence, HasSubstr("Date decreases in 39 of 39 steps"));
    EXPECT_EQ(note.settings, (Settings{{"row_order", "reversed"}}));
    options.file = folder / "old.csv";
    const auto oldest = SeriesDataset::open(options).value();
    EXPECT_EQ(noteOf(*oldest, "newest-first").sentence, "");
    for (const RowOrder order : {RowOrder::Reversed, RowOrder::Auto}) {
        options.file = folder / "new.csv";
        options.rowOrder = order;
        const auto turned = SeriesDataset::open(options).value();
        EXPECT_EQ(turned->contentHash(), oldest->contentHash());
        EXPECT_EQ(noteOf(*turned, "newest-first").sentence, "");
        EXPECT_THAT(noteOf(*turned, "row-order").sentence, HasSubstr("from last to first"));
    }
    options.file = folder / "old.csv";
    EXPECT_EQ(SeriesDataset::open(options).value()->contentHash(), oldest->contentHash())
        << "auto leaves what is in order";
}

TEST(SeriesNotes, OrderIsReadFromDatesInAnyNotation)
{
    const std::function<std::string(int, int)> notations[] = {
        [](int month, int day) { return fmt::format("{:02}.{:02}.2021 00:00", day, month); },
        [](int month, int day) { return fmt::format("{:02}/{:02}/2021", day, month); },
        [](int month, int day) { return fmt::format("{}/{}/21 12:30 PM", month, day); },
        [](int month, int day) {
            constexpr const char* names[] = {"Jan", "Feb", "Mar", "Apr"};
            return fmt::format("\"{} {:02}, 2021\"", names[month - 1], day);
        },
        [](int month, int day) { return fmt::format("2021-{:02}-{:02}T00:00:00Z", month, day); }};
    for (const auto& notation : notations)
        for (const bool newest : {true, false}) {
            const auto data = made(tableOf(rowsOf(80, "Date,Price", [&](int i) {
                const int at = newest ? 79 - i : i;
                return fmt::format("{},{:.2f}", notation(1 + at / 20, 1 + at % 20), wave(i));
            })));
            EXPECT_EQ(!noteOf(*data, "newest-first").sentence.empty(), newest) << notation(2, 3);
        }
    const auto mixed =
        made(tableOf("d,v\n2021-01-01,1.5\n2021-01-02,2.5\n2021-01-03,1.5\n2021-01-02,2.5\n2021-01-04,1.5\n"));
    EXPECT_THAT(noteOf(*mixed, "row-order").sentence, HasSubstr("decrease in 1 of 4 steps, first in line 5"));
}

TEST(SeriesNotes, NumbersThatStandForMissingOnesAreANote)
{
    const auto data = made(
        tableOf(rowsOf(28, "a,b", [](int i) { return fmt::format("{:.2f},{}", wave(i), i == 5 ? -999 : i % 7); })));
    const DataNote note = noteOf(*data, "sentinel");
    EXPECT_THAT(note.sentence, HasSubstr("b contains -999 in 1 cell"));
    EXPECT_FALSE(note.warning);
    EXPECT_EQ(note.settings, (Settings{{"missing", "-999"}}));
    const auto within = made(tableOf(
        rowsOf(28, "a", [](int i) { return fmt::format("{}", i * i * (i % 2 == 0 ? 2 : -2) + (i == 5 ? -949 : 0)); })));
    EXPECT_EQ(noteOf(*within, "sentinel").sentence, "") << "it lies among the others";
}

/// Columns of any size come out with mean 0 and deviation 1, or within 0 and 1.
TEST(SeriesScales, AreOfTheColumnsOwnSize)
{
    for (const double unit : {1e-300, 1e-310, 1e-30, 1e-15, 1e-9, 1.0, 1e9, 1e30, 1e300})
        for (const double offset : {0.0, 1.0, -1e6})
            for (const Normalisation way : {Normalisation::Standard, Normalisation::MinMax}) {
                NumberTable table{"t.csv", 400, {{"a", {}}}, {}};
                for (int i = 0; i < 400; ++i)
                    table.columns[0].values.push_back(unit * (offset + std::sin(i)));
                SeriesOptions options = small();
                options.normalisation = way;
                const Batch batch = made(table, options)->evaluationBatch(Split::Train, 0, 100);
                double sum = 0, squares = 0, least = 1, greatest = -1;
                for (const float value : batch.features) {
                    sum += static_cast<double>(value);
                    squares += static_cast<double>(value) * static_cast<double>(value);
                    least = std::min(least, static_cast<double>(value));
                    greatest = std::max(greatest, static_cast<double>(value));
                }
                const auto count = static_cast<double>(batch.features.size());
                if (way == Normalisation::Standard) {
                    EXPECT_NEAR(sum / count, 0, 0.02) << unit << " " << offset;
                    EXPECT_NEAR(squares / count, 1, 0.02) << unit << " " << offset;
                } else {
                    EXPECT_NEAR(least, 0, 0.01) << unit << " " << offset;
                    EXPECT_NEAR(greatest, 1, 0.01) << unit << " " << offset;
                }
            }
}

TEST(SeriesScales, ASmallSpreadFarFromZeroIsSubtractedInDoublePrecision)
{
    NumberTable table{"t.csv", 100, {{"a", {}}}, {}};
    for (int i = 0; i < 100; ++i)
        table.columns[0].values.push_back(1e9 + 1e-3 * (i % 4));
    const auto data = made(table);
    const double deviation = std::sqrt(1.25);
    for (int i = 0; i < 2; ++i)
        EXPECT_NEAR(data->evaluationBatch(Split::Train, 0, 1).features[static_cast<size_t>(i)], (i - 1.5) / deviation,
                    3e-2)
            << "a double has 1.2e-7 here";
    EXPECT_EQ(noteOf(*data, "lost-precision").sentence, "") << "25,000 steps are enough";
}

NumberTable column(const std::function<double(int)>& value)
{
    NumberTable table{"t.csv", 100, {{"a", {}}, {"b", {}}}, {}};
    for (int i = 0; i < 100; ++i) {
        table.columns[0].values.push_back(value(i));
        table.columns[1].values.push_back(wave(i));
    }
    return table;
}

TEST(SeriesScales, WhatIsLostIsSaid)
{
    const auto sentence = [](const NumberTable& table, const char* code, Normalisation way = Normalisation::Standard) {
        SeriesOptions options = small();
        options.normalisation = way;
        const DataNote note = noteOf(*made(table, options), code);
        EXPECT_TRUE(note.warning || note.sentence.empty() || note.code == "constant");
        return note.sentence;
    };
    const auto roundings = column([](int i) { return i % 2 == 0 ? 0.3 : 0.1 + 0.2; });
    EXPECT_THAT(sentence(roundings, "lost-precision"), HasSubstr("treated as constant"));
    EXPECT_EQ(made(roundings)->scales().inputs.front().scale, 0.1 + 0.2) << "of its own size";
    const auto far = column([](int i) { return 1e16 + 2 * (i % 3); });
    EXPECT_THAT(sentence(far, "lost-precision"), HasSubstr("treated as constant"));
    EXPECT_EQ(sentence(far, "constant"), "") << "which it is not";
    const Batch batch = made(far)->evaluationBatch(Split::Validation, 0, 1);
    for (size_t i = 0; i < batch.values.size(); i += 2)
        EXPECT_TRUE(std::isnan(batch.values[i]) || std::abs(batch.values[i]) < 1e-12F) << "and so it is read";
    EXPECT_THAT(sentence(column([](int i) { return 1e9 + 1e-6 * (i % 4); }), "lost-precision"),
                HasSubstr("Double precision distinguishes only"));
    EXPECT_THAT(sentence(column([](int i) { return 1.7e9 + i; }), "lost-precision", Normalisation::None),
                HasSubstr("single precision"));
    EXPECT_EQ(sentence(column([](int i) { return 1.7e9 + i; }), "lost-precision"), "");
    EXPECT_THAT(sentence(column([](int i) { return 1e-50 * i; }), "lost-precision", Normalisation::None),
                HasSubstr("single precision"));
    const auto moves = column([](int i) { return i < 80 ? 5.0 : 5.0 + i; });
    EXPECT_THAT(sentence(moves, "constant-in-training"),
                HasSubstr("a is 5 throughout the training part but not later (5 to 104)"));
    EXPECT_EQ(made(moves)->scales().inputs.front(), (ColumnScale{"a", 5, 1}));
    EXPECT_THAT(sentence(column([](int) { return 5.0; }), "constant"), HasSubstr("a is 5 in every row"));
    const auto absent = column([](int i) { return i < 80 ? std::nan("") : 1.0 + i; });
    EXPECT_THAT(sentence(absent, "no-training-numbers"), HasSubstr("a has no numbers in the training part"));
    EXPECT_EQ(made(absent)->scales().inputs.front(), (ColumnScale{"a", 0, 1}));
    const auto infinite = SeriesDataset::fromTable(column([](int i) { return i == 90 ? 1e300 : wave(i); }), small());
    ASSERT_FALSE(infinite);
    EXPECT_THAT(infinite.error().text(), HasSubstr("a contains 1e+300, which overflows single precision"));
}

/// One number that is far from all others leaves them no digits once all are scaled.
TEST(SeriesNotes, NumbersFarFromTheOthers)
{
    const auto dataOf = [](const std::function<double(int)>& row) {
        return made(tableOf(rowsOf(100, "a", [&](int i) { return fmt::format("{}", row(i)); })));
    };
    const auto inTraining = dataOf([](int i) { return i == 50 ? 1e12 : wave(i); });
    EXPECT_THAT(noteOf(*inTraining, "lost-precision").sentence,
                HasSubstr("single precision distinguishes only 1 of these values"));
    const auto later = dataOf([](int i) { return i == 90 ? 1e12 : wave(i); });
    EXPECT_THAT(noteOf(*later, "far-outside").sentence, HasSubstr("After the training part a ranges from"));
    EXPECT_TRUE(noteOf(*later, "far-outside").warning);
    for (const auto& data :
         {dataOf(wave), dataOf([](int i) { return i == 50 ? 1.0 : 0.0; }), dataOf([](int i) { return i * 1.0; })})
        for (const char* code : {"lost-precision", "far-outside"})
            EXPECT_EQ(noteOf(*data, code).sentence, "");
}

/// Marks that programs have of their own, several of them, and none that a series may have.
TEST(SeriesNotes, MarksOfAMissingNumber)
{
    const auto noted = [](const std::function<double(int)>& row) {
        return noteOf(*made(tableOf(rowsOf(60, "a,b", [&](int i) { return fmt::format("{},{}", row(i), wave(i)); }))),
                      "sentinel");
    };
    for (const double mark : {-200.0, 32767.0, -32768.0, -6999.0, 9.96921e36})
        EXPECT_THAT(noted([&](int i) { return i % 9 == 0 ? mark : 2 + i % 7 / 10.0; }).settings,
                    ElementsAre(std::pair<std::string, std::string>("missing", fmt::format("{}", mark))));
    EXPECT_THAT(noted([](int i) { return i % 9 == 0   ? -999
                                         : i % 9 == 1 ? -888
                                                      : 2 + i % 7 / 10.0; }).settings,
                ElementsAre(std::pair<std::string, std::string>("missing", "-999, -888")));
    EXPECT_EQ(noted([](int i) { return i % 9 == 0 ? 1.0 : 0.0; }).sentence, "");
    EXPECT_EQ(noted([](int i) { return i == 7 ? 400.0 : wave(i); }).sentence, "") << "once is a peak";
}

/// What says when a row was taken, as it comes.
TEST(SeriesNotes, ColumnsOfTimeAsTheyCome)
{
    const auto noted = [](const std::string& names, const std::function<std::string(int)>& row) {
        return noteOf(*made(tableOf(rowsOf(60, names, row))), "time-column").sentence;
    };
    EXPECT_THAT(noted("Year,a", [](int i) { return fmt::format("{},{}", 1800 + i * (i + 1) / 12, wave(i)); }),
                HasSubstr("Year"));
    EXPECT_THAT(
        noted("id,a", [](int i) { return i == 4 ? fmt::format(",{}", wave(i)) : fmt::format("{},{}", i, wave(i)); }),
        HasSubstr("id"));
    EXPECT_THAT(noted("dn,a", [](int i) { return fmt::format("{:.6f},{}", 738000 + i / 24.0, wave(i)); }),
                HasSubstr("dn (rises in equal steps)"));
    EXPECT_THAT(noted("Month,Day,a", [](int i) { return fmt::format("{},{},{}", 1 + i / 28, 1 + i % 28, wave(i)); }),
                HasSubstr("Month (a part of a date), Day (a part of a date)"));
}

TEST(SeriesNotes, NewestFirstInAnyWriting)
{
    const std::function<std::string(int)> dates[] = {
        [](int i) { return fmt::format("{}Q{}", 2021 - i / 4, 4 - i % 4); },
        [](int i) { return fmt::format("Q{} {}", 4 - i % 4, 2021 - i / 4); },
        [](int i) { return fmt::format("2021-W{:02}", 30 - i); },
        [](int i) { return fmt::format("{} févr. 2021", 28 - i); },
        [](int i) { return fmt::format("{}-ene-2021", 28 - i); },
        [](int i) { return fmt::format("2021年1月{}日", 28 - i); },
        [](int i) { return fmt::format("2021-01-{:02} 00:00:00 CET", 28 - i); },
        [](int i) { return fmt::format("[2021-01-{:02} 00:00:00]", 28 - i); },
        [](int i) { return fmt::format("Feb {} 10:00:00 2021", 28 - i); },
    };
    for (const auto& date : dates)
        EXPECT_TRUE(
            noteOf(*made(tableOf(rowsOf(20, "when;v", [&](int i) { return fmt::format("{};{}", date(i), wave(i)); }))),
                   "newest-first")
                .warning)
            << date(0);
}

} // namespace
} // namespace unroll
