// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of tables share.
#pragma once

#include "core/data/table_reader.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace unroll::testing_tables {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Columns = std::vector<std::pair<std::string, std::vector<double>>>;

inline NumberTable read(const std::string& text, const TableWishes& wishes = {})
{
    auto table = readTable(text, "t.csv", wishes);
    EXPECT_TRUE(table) << table.error().text() << "\n" << text;
    return table ? *table : NumberTable{};
}

inline std::string errorOf(const std::string& text, const TableWishes& wishes = {})
{
    const auto table = readTable(text, "t.csv", wishes);
    return table ? "none" : table.error().text();
}

inline TableWishes with(std::string TableWishes::*which, std::string value)
{
    TableWishes wishes;
    wishes.*which = std::move(value);
    return wishes;
}

/// Of the notes, or of the warnings alone.
inline std::vector<std::string> sentencesOf(const NumberTable& table, bool warnings = false)
{
    std::vector<std::string> sentences;
    for (const DataNote& note : table.notes)
        if (!warnings || note.warning)
            sentences.push_back(note.sentence);
    return sentences;
}

/// The table that was read of `text` has these columns and no others.
inline void expectColumns(const NumberTable& table, const Columns& columns, const std::string& text)
{
    ASSERT_EQ(table.columns.size(), columns.size()) << text;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const auto& [name, values] = columns[i];
        EXPECT_EQ(table.columns[i].name, name) << text;
        ASSERT_EQ(table.columns[i].values.size(), values.size()) << name << " in\n" << text;
        for (size_t row = 0; row < values.size(); ++row)
            EXPECT_TRUE(table.columns[i].values[row] == values[row] ||
                        (std::isnan(values[row]) && std::isnan(table.columns[i].values[row])))
                << name << ", row " << row << ": " << table.columns[i].values[row] << " and not " << values[row]
                << " in\n"
                << text;
    }
}

} // namespace unroll::testing_tables
