// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/table_format.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

enum class CellKind { Blank, Missing, Number, Date, Text };

/// The first cell of a kind and how many there are.
struct Sighting {
    int64_t count = 0;
    int64_t line = 0;
    std::string text;

    void add(std::string_view cell, int64_t at);
    void add(const Sighting& other);
};

/// What the cells of one column say about what is in it and how its numbers are written.
struct ColumnEvidence {
    /// Readings with a decimal point and with a decimal comma.
    enum Decimal { Point, Comma };

    int64_t blank = 0, missing = 0, numbers = 0, dates = 0;
    Sighting texts;
    std::array<Sighting, 2> certain;    // numbers with this decimal sign alone: "1.5", "1,019,391" -> Point
    std::array<Sighting, 2> open;       // with the point of "1.234" (or comma) as either sign
    std::array<int64_t, 2> fractions{}; // numbers that have a fraction when read so
    std::array<unsigned, 2> groups{};   // bits of the GroupSigns that they have when read so
    std::array<int64_t, 3> whole{};     // digits alone: of one or two, three, more
    int64_t typedBytes = 0;             // of cells that are numbers, dates or missing
    int64_t bytes = 0;

    void add(const ColumnEvidence& other);
    bool isNumbers() const { return numbers > 0 && numbers >= texts.count + dates; }
    bool isDates() const { return dates > 0 && dates >= texts.count && dates > numbers; }
    bool isEmpty() const { return numbers + dates + texts.count + missing == 0; }
};

/// Adds up cells under what the user has set.
class CellJudge {
public:
    explicit CellJudge(const TableChoices& choices);

    /// What the cell is; the column's evidence grows by it.
    CellKind judge(std::string_view cell, int64_t line, ColumnEvidence& column) const;
    CellKind kindOf(std::string_view cell) const;
    bool isMarked(std::string_view cell) const; // missing by the user's word

private:
    bool judgeNumber(std::string_view cell, int64_t line, ColumnEvidence& column) const;

    std::array<bool, 2> m_possible; // decimal signs
    std::optional<GroupSign> m_thousands;
    std::vector<std::string> m_missing;
};

} // namespace unroll
