// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/read_column.h"

#include "core/base/number_text.h"
#include "core/data/number_cell.h"

#include <fmt/format.h>

namespace unroll {

namespace {

void noteSigns(const std::vector<ReadColumn>& columns, std::vector<DataNote>& notes)
{
    std::vector<std::string> percent, money;
    for (const ReadColumn& column : columns) {
        if (column.percent > 0 && column.percent == column.filled)
            percent.push_back(column.name);
        else if (column.percent > 0)
            notes.emplace_back(
                "per-cent",
                fmt::format(
                    "{} of {} numbers of {} have a percent sign and the others none; all are read as written, 5% as 5.",
                    grouped(column.percent), grouped(column.filled), column.name),
                true);
        if (!column.otherSign.empty())
            notes.emplace_back(
                "currency",
                fmt::format(
                    "{} has numbers with {} and with {}: the symbols are ignored and the numbers read as written.",
                    column.name, column.currencySign, column.otherSign),
                true);
        else if (column.currency > 0)
            money.push_back(fmt::format("{} ({})", column.name, column.currencySign));
    }
    if (!percent.empty())
        notes.emplace_back("per-cent",
                           fmt::format("Percentages are read as written, 5% as 5, in {}.", listed(percent)));
    if (!money.empty())
        notes.emplace_back("currency", fmt::format("Currency symbols are ignored in {}.", listed(money)));
}

/// As "Total" below the days of a month: the row's numbers are others than those above it.
void noteWordsAmongDates(const std::vector<ReadColumn>& columns, std::vector<DataNote>& notes)
{
    for (const ReadColumn& column : columns) {
        const int64_t others = column.words + column.rightNumbers;
        if (column.isNumbers || column.dates <= others || others == 0)
            continue;
        const Sighting& first = column.words > 0 ? column.firstWord : column.firstNumber;
        notes.emplace_back(
            "no-date",
            fmt::format("{} contains dates, but {} in line {}{}: the other numbers of that row are read as usual.",
                        column.name, quotedCell(first.text), grouped(first.line),
                        others > 1 ? fmt::format(" and {} more", counted(others - 1, "cell")) : ""),
            true);
    }
}

} // namespace

void noteCells(const std::vector<ReadColumn>& columns, std::vector<DataNote>& notes)
{
    noteSigns(columns, notes);
    noteWordsAmongDates(columns, notes);
}

LeftOutColumn leftOut(ReadColumn column)
{
    LeftOutColumn made = std::move(column.other);
    made.name = column.name;
    if (column.dates + column.words + column.rightNumbers == 0)
        made.why = "empty";
    else if (column.dates > column.words)
        made.why = "dates";
    else if (column.rightNumbers == 0 && column.almostNumbers * 2 > column.words)
        made.why = fmt::format("no cell is a number, the first in line {}: {}", column.firstWord.line,
                               quotedCell(column.firstWord.text));
    else if (column.rightNumbers == 0)
        made.why = "words";
    else
        made.why = fmt::format("{} of {} cells are not numbers, the first in line {}: {}",
                               grouped(column.words + column.dates),
                               grouped(column.words + column.dates + column.rightNumbers), column.firstWord.line,
                               quotedCell(column.firstWord.text));
    return made;
}

} // namespace unroll
