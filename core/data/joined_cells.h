// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Whether what a sign divides into cells is one number: "21,03" with a decimal comma, "1,019.5" with one between
/// thousands, "1 019 391" with spaces there.
class JoinTest {
public:
    /// OneByHeader: nothing but a header of one cell says so.
    enum class Verdict { Two, One, OneByHeader, Open };

    /// `decimal`: as it is set.
    JoinTest(char sign, std::optional<char> decimal)
        : m_sign(sign), m_alive{decimal.value_or('.') == '.', decimal.value_or(',') == ','}
    {}

    void take(const std::vector<std::string>& cells);
    Verdict verdict() const;
    const std::string& example() const { return m_example; }

private:
    bool takeNumber(const std::vector<std::string>& cells);
    /// By a name, and a unit below it: more lines above the numbers are not header.
    bool isNamed() const { return m_headerCells == 1 && m_headerRows <= 2; }
    bool readsAs(size_t way, const std::string& joined) const;
    bool isFraction() const { return m_alive[1] && m_sign == ','; }
    Verdict ofFractions() const;
    Verdict ofGroups() const;
    /// Of the steps of both parts: where one number is cut in two, its digits fall back when the whole part steps on.
    double correlation() const;

    char m_sign;
    std::array<bool, 2> m_alive; // readings with a decimal point and with a decimal comma that every row so far has
    bool m_fails = false;
    size_t m_headerCells = 0; // of the last row above the numbers
    int64_t m_headerRows = 0;
    int64_t m_single = 0, m_divided = 0; // rows
    bool m_leadingZero = false, m_minusZero = false, m_trailingZero = false;
    size_t m_fewestCells = std::numeric_limits<size_t>::max(), m_mostCells = 0; // of divided rows
    size_t m_shortest = std::numeric_limits<size_t>::max(), m_longest = 0;      // digits of the second part
    std::string m_example;
    double m_whole = 0, m_part = 0, m_product = 0, m_wholeSquares = 0, m_partSquares = 0;
    static constexpr int64_t kEnough = 44; // rows: a digit that is never 0 by chance is then a matter of 1 %
};

} // namespace unroll
