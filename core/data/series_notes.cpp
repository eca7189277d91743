// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_notes.h"

#include "core/base/number_text.h"
#include "core/data/far_numbers.h"
#include "core/data/scale_notes.h"
#include "core/data/table_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>

namespace unroll {

namespace {

constexpr int64_t kFewestSteps = 4; // below, a table shows no order
constexpr int64_t kMostly = 9;      // steps one way to one the other

bool areLeftOpen(const std::string& list)
{
    return list.find_first_not_of(" \t") == std::string::npos;
}

OrderTrack orderOf(const std::vector<double>& values)
{
    OrderTrack track;
    for (size_t row = 0; row < values.size(); ++row)
        track.add(values[row], static_cast<int64_t>(row) + 1);
    return track;
}

bool mostlyFalls(const OrderTrack& track)
{
    return track.down() >= kFewestSteps && track.down() > kMostly * track.up();
}

bool allWhole(const std::vector<double>& values)
{
    return std::all_of(values.begin(), values.end(), [](double value) { return value == std::floor(value); });
}

bool allWithin(const std::vector<double>& values, double least, double greatest)
{
    return std::all_of(values.begin(), values.end(), [&](double value) { return value >= least && value <= greatest; });
}

/// Seconds, or thousandths, millionths, thousandmillionths of them, since 1970: of 1980 to 2100.
bool isEpoch(const std::vector<double>& values)
{
    constexpr double kBegin = 315'532'800, kEnd = 4'102'444'800;
    constexpr double kUnits[] = {1e0, 1e3, 1e6, 1e9};
    return std::any_of(std::begin(kUnits), std::end(kUnits),
                       [&](double unit) { return allWithin(values, kBegin * unit, kEnd * unit); });
}

/// 20210131, 202101311200, 20210131120000: a month and a day in every one.
bool isWrittenDate(const std::vector<double>& values)
{
    for (const double unit : {1e0, 1e2, 1e4, 1e6})
        if (allWhole(values) && std::all_of(values.begin(), values.end(), [&](double value) {
                const double date = std::floor(value / unit), month = std::fmod(std::floor(date / 100), 100);
                const double day = std::fmod(date, 100);
                return date >= 18'000'101 && date <= 22'001'231 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
            }))
            return true;
    return false;
}

std::string inSmallLetters(const std::string& name)
{
    std::string small;
    for (const char c : name)
        small += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return small;
}

/// Names that people give to what counts or dates rows.
bool isTimeName(const std::string& name)
{
    static const std::set<std::string> names{
        "t",        "ts",         "time",   "timestamp", "times",    "date",    "datetime", "epoch",      "unix",
        "unixtime", "zeit",       "datum",  "years",     "jd",       "mjd",     "julian",   "datenum",    "index",
        "idx",      "id",         "row",    "no",        "no.",      "nr",      "nr.",      "number",     "step",
        "#",        "unnamed: 0", "time_s", "time [s]",  "time (s)", "seconds", "obs",      "observation"};
    return names.contains(inSmallLetters(name));
}

/// A month, a day, an hour ... by its name and by its numbers.
bool isCalendarPart(const std::string& name, const std::vector<double>& values)
{
    struct Part {
        std::string_view name;
        double least, greatest;
    };
    constexpr Part parts[] = {{"year", 1500, 2200}, {"yr", 1500, 2200}, {"jahr", 1500, 2200}, {"month", 1, 12},
                              {"mon", 1, 12},       {"mo", 1, 12},      {"monat", 1, 12},     {"day", 1, 31},
                              {"tag", 1, 31},       {"hour", 0, 24},    {"hr", 0, 24},        {"stunde", 0, 24},
                              {"minute", 0, 59},    {"weekday", 0, 7},  {"dayofweek", 0, 7},  {"dayofyear", 1, 366},
                              {"doy", 1, 366},      {"week", 0, 53}};
    const std::string small = inSmallLetters(name);
    return allWhole(values) && std::any_of(std::begin(parts), std::end(parts), [&](const Part& part) {
               return small == part.name && allWithin(values, part.least, part.greatest);
           });
}

/// What a column of numbers is that says when a row was taken and not what was measured; empty: it is none. Missing
/// ones are skipped.
std::string timeKind(const std::string& name, std::vector<double> values)
{
    constexpr double kAsWritten = 1e-3; // of a step: what rounding to the digits of a file makes of equal ones
    std::erase_if(values, [](double value) { return std::isnan(value); });
    const OrderTrack track = orderOf(values);
    if (track.up() + track.down() + track.same() < kFewestSteps)
        return "";
    const bool strict = track.same() == 0 && (track.rises() || track.falls());
    const double least = track.leastStep(), greatest = track.greatestStep();
    const bool even = strict && greatest - least <= kAsWritten * std::max(std::abs(least), std::abs(greatest));
    const bool oneWay = track.rises() || mostlyFalls(track) || track.up() > kMostly * track.down();
    if (oneWay && allWhole(values) && isWrittenDate(values))
        return "dates";
    if (even && allWhole(values) && std::abs(least) == 1)
        return least > 0 ? "counts up by 1" : "counts down by 1";
    if (oneWay && isEpoch(values) && (strict || isTimeName(name)))
        return "time stamps";
    if (even && track.up() + track.down() >= kFewestSteps)
        return least > 0 ? "rises in equal steps" : "falls in equal steps";
    if (isCalendarPart(name, values))
        return "a part of a date";
    return strict && isTimeName(name) ? "time" : "";
}

struct NewestFirst {
    std::string column;
    int64_t down = 0, steps = 0;
};

std::optional<NewestFirst> newestFirst(const NumberTable& table)
{
    for (const LeftOutColumn& column : table.leftOut) {
        const OrderTrack* ways[] = {&column.dayFirst, &column.monthFirst};
        const bool rises =
            std::any_of(std::begin(ways), std::end(ways), [](const OrderTrack* way) { return way->rises(); });
        for (const OrderTrack* way : ways)
            if (!rises && mostlyFalls(*way))
                return NewestFirst{column.name, way->down(), way->down() + way->up()};
    }
    for (const NumberColumn& column : table.columns) {
        const OrderTrack track = orderOf(column.values);
        if (const std::string kind = timeKind(column.name, column.values); !kind.empty() && mostlyFalls(track))
            return NewestFirst{column.name, track.down(), track.down() + track.up()};
    }
    return std::nullopt;
}

void noteOrder(const NumberTable& table, const SeriesOptions& options, std::vector<DataNote>& notes)
{
    if (options.rowOrder != RowOrder::File)
        return;
    if (const auto found = newestFirst(table)) {
        DataNote note("newest-first",
                      fmt::format("The newest row comes first: {} decreases in {} of {} steps. Rows are read in file "
                                  "order, so the past would be forecast from the future; set row_order to reversed.",
                                  found->column, grouped(found->down), grouped(found->steps)),
                      true);
        note.param = "row_order";
        note.remedy = "Read the Last Row First";
        note.settings = {{"row_order", "reversed"}};
        notes.push_back(std::move(note));
        return;
    }
    for (const LeftOutColumn& column : table.leftOut)
        if (const OrderTrack& track =
                column.dayFirst.down() <= column.monthFirst.down() ? column.dayFirst : column.monthFirst;
            column.why == "dates" && track.up() + track.down() >= kFewestSteps && track.down() > 0)
            notes.emplace_back(
                "row-order",
                fmt::format(
                    "The dates of {} decrease in {} of {} steps, first in line {}: rows are read in file order.",
                    column.name, grouped(track.down()), grouped(track.down() + track.up()),
                    grouped(track.firstDown())));
}

/// Columns of time and counts that are read as measurements because no columns were chosen.
void noteTimeColumns(const NumberTable& table, const SeriesOptions& options, int64_t trainingRows,
                     std::vector<DataNote>& notes)
{
    const bool inputs = areLeftOpen(options.inputColumns), targets = areLeftOpen(options.targetColumns);
    if ((!inputs && !targets) || !options.learned.inputs.empty())
        return;
    std::vector<std::string> found, rest;
    for (const NumberColumn& column : table.columns) {
        // Behind the training part rows of another file may begin again.
        const std::string kind = timeKind(
            column.name, {column.values.begin(), column.values.begin() + static_cast<std::ptrdiff_t>(trainingRows)});
        if (kind.empty())
            rest.push_back(column.name);
        else
            found.push_back(fmt::format("{} ({})", column.name, kind));
    }
    if (found.empty())
        return;
    const char* use = inputs && targets ? "read and forecast" : inputs ? "read" : "forecast";
    DataNote note("time-column", fmt::format("{} {} as measured values: {}.",
                                             found.size() == 1 ? "One column is" : "Columns are", use, listed(found)));
    if (!rest.empty()) {
        note.param = inputs ? "input_columns" : "target_columns";
        note.remedy = found.size() == 1 ? "Leave It Out" : "Leave Them Out";
        for (const auto& [open, param] : {std::pair(inputs, "input_columns"), std::pair(targets, "target_columns")})
            if (open)
                note.settings.emplace_back(param, listOfNames(rest));
        note.sentence.pop_back();
        note.sentence +=
            fmt::format("; to leave {} out, set {} to {}.", found.size() == 1 ? "it" : "them",
                        inputs && targets ? "input_columns and target_columns" : note.param, listOfNames(rest));
    }
    notes.push_back(std::move(note));
}

void noteSentinels(const NumberTable& table, const SeriesOptions& options, std::vector<DataNote>& notes)
{
    for (const NumberColumn& column : table.columns)
        for (const int sign : {-1, 1}) {
            const FarNumbers far = farNumbers(column.values, sign);
            if (far.values.empty())
                continue;
            std::vector<std::string> words;
            for (const double value : far.values)
                words.push_back(fmt::format("{}", value));
            const std::string list = listOfNames(words);
            DataNote note("sentinel", fmt::format("{} contains {} in {}, far from its other values ({} to {}); if {} "
                                                  "for missing values, set missing to {}.",
                                                  column.name, fmt::join(words, " and "), counted(far.times, "cell"),
                                                  far.others.least, far.others.greatest,
                                                  words.size() == 1 ? "it stands" : "they stand", list));
            note.param = "missing";
            note.remedy = words.size() == 1 ? "Read It as Missing" : "Read Them as Missing";
            note.settings = {
                {"missing", areLeftOpen(options.table.missing) ? list : options.table.missing + ", " + list}};
            notes.push_back(std::move(note));
        }
}

void noteLeftOut(const NumberTable& table, std::vector<DataNote>& notes)
{
    std::vector<std::string> plain;
    for (const LeftOutColumn& column : table.leftOut)
        if (column.why == "dates" || column.why == "words" || column.why == "empty")
            plain.push_back(column.name);
        else
            notes.emplace_back("left-out", fmt::format("{} is left out: {}.", column.name, column.why), true);
    if (!plain.empty())
        notes.emplace_back("left-out", fmt::format("{} no numbers and {} left out: {}.",
                                                   plain.size() == 1 ? "One column holds"
                                                                     : fmt::format("{} columns hold", plain.size()),
                                                   plain.size() == 1 ? "is" : "are", listed(plain)));
}

} // namespace

bool isNewestFirst(const NumberTable& table)
{
    return newestFirst(table).has_value();
}

std::vector<DataNote> seriesNotes(const NumberTable& table, const SeriesOptions& options, const SeriesScales& scales,
                                  int64_t trainingRows)
{
    std::vector<DataNote> notes = table.notes;
    noteLeftOut(table, notes);
    noteOrder(table, options, notes);
    if (table.format)
        noteTimeColumns(table, options, trainingRows, notes);
    noteSentinels(table, options, notes);
    const auto unscaled = readNames(options.unscaledColumns).value_or(std::vector<std::string>{});
    for (const NumberColumn& column : table.columns) {
        const ColumnScale* scale = nullptr;
        for (const auto* list : {&scales.inputs, &scales.targets})
            for (const ColumnScale& each : *list)
                scale = each.name == column.name ? &each : scale;
        if (scale == nullptr || !options.learned.inputs.empty())
            continue;
        const bool stays = std::find(unscaled.begin(), unscaled.end(), column.name) != unscaled.end();
        noteScale(column, *scale, stays ? Normalisation::None : options.normalisation, trainingRows, notes);
    }
    return notes;
}

} // namespace unroll
