// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/number_names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace unroll {

namespace {

using Evidence = std::vector<ColumnEvidence>;

/// A row that may be names although it has numbers.
struct NumberNames {
    static constexpr double kFirstYear = 1500, kLastYear = 2200;

    std::vector<size_t> columns; // of numbers
    std::vector<double> values;
    bool whole = true;    // digits alone, as a count or a year has them
    bool words = false;   // a word stands above words
    bool indexed = false; // nothing stands above the first column

    bool isEven() const
    {
        const double step = values.size() > 1 ? values[1] - values[0] : 0;
        for (size_t k = 1; k < values.size(); ++k)
            if (std::abs(values[k] - values[k - 1] - step) > 1e-6 * std::abs(step))
                return false;
        return step != 0;
    }
    bool isCount() const { return whole && isEven() && values[1] > values[0]; }
    bool areYears() const
    {
        return whole &&
               std::all_of(values.begin(), values.end(), [](double v) { return v >= kFirstYear && v <= kLastYear; });
    }
};

/// Nothing where a number is missing or comes twice.
std::optional<NumberNames> namesIn(const std::vector<std::string>& cells, const Evidence& evidence,
                                   const CellJudge& judge, const NumberSigns& signs)
{
    NumberNames names;
    for (size_t i = 0; i < evidence.size() && i < cells.size(); ++i) {
        const std::string_view cell = withoutBlanks(cells[i]);
        if (!evidence[i].isNumbers()) {
            names.words = names.words || judge.kindOf(cell) == CellKind::Text;
            continue;
        }
        if (cell.empty())
            continue;
        const auto written = writtenNumber(cell);
        const auto read = written ? readNumber(*written, signs) : NumberReading{};
        if (read.fault != NumberReading::Fault::None ||
            std::find(names.values.begin(), names.values.end(), read.value) != names.values.end())
            return std::nullopt;
        names.whole = names.whole && cell.find_first_not_of("0123456789") == std::string_view::npos &&
                      cell.size() < 10 && (cell.size() == 1 || cell.front() != '0');
        names.columns.push_back(i);
        names.values.push_back(read.value);
    }
    if (names.columns.empty())
        return std::nullopt;
    names.indexed = withoutBlanks(cells.front()).empty();
    return names;
}

/// How the rows below differ from a row that may be names.
struct Contrast {
    Evidence evidence;     // of the rows below
    bool fractions = true; // all numbers have one, and the row has none
    bool outside = true;   // the row's numbers lie outside of theirs
    bool years = true;     // all numbers may be years themselves
    int64_t rows = 0;

    /// A program that writes no more digits than it needs writes "0,1" above "0.1,0.995": whole numbers above fractions
    /// are not names for that alone.
    bool decides(const NumberNames& names) const
    {
        constexpr int64_t kFewest = 3; // rows: fewer show no range
        constexpr size_t kSeries = 3;  // numbers
        const size_t count = names.values.size();
        const bool areYears = names.areYears() && !years;
        if (names.words && names.isEven() && (count >= kSeries || areYears || (fractions && names.isCount())))
            return (outside || (fractions && names.whole)) && rows >= (areYears ? 1 : 2);
        if (rows < kFewest || !names.whole)
            return false;
        if (areYears)
            return count > 1 ? fractions || (outside && names.isEven()) : outside && (fractions || names.words);
        if (names.indexed && !evidence.front().isEmpty())
            return fractions || names.isCount();
        return count >= kSeries && fractions && names.isCount();
    }
};

Result<Contrast> contrastWith(std::string_view text, const TableChoices& choices, const Layout& layout,
                              const NumberSigns& signs, int64_t nameLine, const NumberNames& names)
{
    Contrast made;
    made.evidence.resize(layout.width);
    const CellJudge judge(choices);
    std::vector<double> least(layout.width, std::numeric_limits<double>::infinity()), greatest(layout.width, -least[0]);
    auto all = forEachRow(text, layout, [&](const std::vector<std::string>& cells, int64_t line) {
        if (line <= nameLine || cells.size() != layout.width)
            return;
        ++made.rows;
        for (size_t i = 0; i < cells.size(); ++i) {
            judge.judge(cells[i], line, made.evidence[i]);
            const auto written = writtenNumber(cells[i]);
            const auto read = written ? readNumber(*written, signs) : NumberReading{};
            if (read.fault != NumberReading::Fault::None)
                continue;
            least[i] = std::min(least[i], read.value);
            greatest[i] = std::max(greatest[i], read.value);
        }
    });
    if (!all)
        return tl::unexpected(all.error());
    for (size_t k = 0; k < names.columns.size(); ++k) {
        const size_t i = names.columns[k];
        const ColumnEvidence& column = made.evidence[i];
        const int64_t pointed = column.numbers - column.whole[0] - column.whole[1] - column.whole[2];
        made.fractions = made.fractions && column.numbers > 0 && pointed == column.numbers;
        made.years = made.years && least[i] >= NumberNames::kFirstYear && greatest[i] <= NumberNames::kLastYear;
        made.outside = made.outside && (names.values[k] < least[i] || names.values[k] > greatest[i]);
    }
    return made;
}

} // namespace

Result<void> takeNumbersAsNames(std::string_view text, const TableChoices& choices, const Layout& layout,
                                const NumberSigns& signs, TableTop& top)
{
    const auto& row = layout.first[top.begin];
    const auto names = namesIn(row.cells, top.evidence, CellJudge(choices), signs);
    if (!names || !top.doubt.empty() || layout.rows < 2)
        return {};
    auto contrast = contrastWith(text, choices, layout, signs, row.line, *names);
    if (!contrast)
        return tl::unexpected(contrast.error());
    DataNote note("header", "", true);
    note.param = "header_rows";
    const auto counted = fmt::format("Line {} rises in equal steps ({}, {} ...)", row.line, names->values.front(),
                                     names->values.size() > 1 ? names->values[1] : 0);
    if (contrast->decides(*names)) {
        top.named = top.begin++;
        top.names = row.cells;
        if (!names->areYears() && !names->indexed) {
            note.sentence = counted + " and is read as names; if it is a row of numbers, set header_rows to 0.";
            note.remedy = "Read the First Row as Numbers";
            note.settings = {{"header_rows", "0"}};
            top.notes.push_back(std::move(note));
        }
        top.evidence = std::move(contrast->evidence);
        return {};
    }
    const bool maybe =
        names->values.size() > 2 || ((contrast->fractions || contrast->outside) && names->values.size() > 1);
    if (maybe && names->isCount() && names->values[1] - names->values[0] == 1 && contrast->rows >= 3) {
        note.sentence = counted + " and is read as numbers; if these are names, set header_rows to 1.";
        note.remedy = "Read the First Row as Names";
        note.settings = {{"header_rows", "1"}};
        top.notes.push_back(std::move(note));
    }
    return {};
}

} // namespace unroll
