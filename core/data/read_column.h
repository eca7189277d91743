// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_evidence.h"
#include "core/data/data_note.h"
#include "core/data/number_table.h"

namespace unroll {

/// A column while its rows are read, with what was seen in its cells.
struct ReadColumn {
    std::string name;
    bool isNumbers = false;
    std::vector<double> values;
    LeftOutColumn other;
    int64_t rightNumbers = 0, words = 0, dates = 0; // cells of one that is left out
    Sighting firstWord, firstNumber;
    int64_t filled = 0, percent = 0, currency = 0;
    std::string currencySign, otherSign;
    int64_t almostNumbers = 0; // words with digits in front
};

/// What the cells have beside numbers: per cent, currencies, words among dates.
void noteCells(const std::vector<ReadColumn>& columns, std::vector<DataNote>& notes);

/// A column that holds no numbers, and why it is left out.
LeftOutColumn leftOut(ReadColumn column);

} // namespace unroll
