// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace unroll {

/// A date or a time of day as a text, as numbers that grow with time and mean nothing else. NaN: it says nothing of the
/// order, as a time of day, or is not a date that way round.
struct TimeStamp {
    double dayFirst = std::numeric_limits<double>::quiet_NaN();   // 03/04/2021 is in April
    double monthFirst = std::numeric_limits<double>::quiet_NaN(); // in March
};

/// 2021-01-31, 31.01.2021, 1/31/21, 31 Jan 2021, Jan 31, 2021, 2021-01, 2021Q1, 2021-W05, 20210131T1200, each with a
/// time of day behind it or none; a time of day alone. Nothing: the text is no such thing.
std::optional<TimeStamp> readTimeStamp(std::string_view text);

/// Whether what comes in row by row grows or falls.
class OrderTrack {
public:
    /// NaN is skipped.
    void add(double key, int64_t line);

    int64_t up() const { return m_up; }
    int64_t down() const { return m_down; }
    int64_t same() const { return m_same; }
    bool rises() const { return m_up > 0 && m_down == 0; }
    bool falls() const { return m_down > 0 && m_up == 0; }
    int64_t firstUp() const { return m_firstUp; } // line of the first step on; 0: none
    int64_t firstDown() const { return m_firstDown; }
    double leastStep() const { return m_leastStep; }
    double greatestStep() const { return m_greatestStep; }

private:
    double m_last = std::numeric_limits<double>::quiet_NaN();
    int64_t m_up = 0, m_down = 0, m_same = 0, m_firstUp = 0, m_firstDown = 0;
    double m_leastStep = std::numeric_limits<double>::infinity(), m_greatestStep = -m_leastStep;
};

} // namespace unroll
