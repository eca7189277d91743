// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/joined_cells.h"

#include "core/data/number_cell.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace unroll {

void JoinTest::take(const std::vector<std::string>& cells)
{
    if (m_fails)
        return;
    std::string joined;
    for (const std::string& cell : cells)
        joined += (joined.empty() && &cell == &cells.front() ? "" : std::string(1, m_sign)) + cell;
    const std::array<bool, 2> reads{m_alive[0] && readsAs(0, joined), m_alive[1] && readsAs(1, joined)};
    const bool isNumber = reads[0] || reads[1];
    if (isNumber && takeNumber(cells)) {
        m_alive = reads;
        m_example = m_divided == 1 && cells.size() > 1 ? joined : m_example;
        return;
    }
    if (cells.size() == 1 && isMissing(cells.front())) {
        ++m_single; // several columns would have as many cells here as elsewhere
        return;
    }
    if (m_single + m_divided == 0 && !isNumber) {
        m_headerCells = cells.size();
        ++m_headerRows;
    } else {
        m_fails = true;
    }
}

/// `way`: 0 with a decimal point and the sign between thousands, 1 with a decimal comma and the sign where it then may
/// stand.
bool JoinTest::readsAs(size_t way, const std::string& joined) const
{
    const auto written = writtenNumber(joined);
    const std::optional<GroupSign> groups = m_sign == ' ' ? std::optional(GroupSign::Space)
                                            : way == 0    ? std::optional(GroupSign::Comma)
                                                          : std::nullopt;
    return written && readNumber(*written, {way == 0 ? '.' : ',', groups}).fault == NumberReading::Fault::None;
}

bool JoinTest::takeNumber(const std::vector<std::string>& cells)
{
    if (cells.size() == 1) {
        ++m_single;
        return true;
    }
    constexpr size_t kDigits = 15; // of a double
    std::string_view part = cells[1];
    part = part.substr(0, std::min(part.find_first_not_of("0123456789"), part.size()));
    if (part.empty())
        return false;
    ++m_divided;
    m_fewestCells = std::min(m_fewestCells, cells.size());
    m_mostCells = std::max(m_mostCells, cells.size());
    m_minusZero = m_minusZero || cells[0] == "-0";
    for (size_t i = 1; i < cells.size(); ++i)
        m_leadingZero = m_leadingZero || (cells[i].size() > 1 && cells[i][0] == '0');
    m_trailingZero = m_trailingZero || (part.size() > 1 && part.back() == '0');
    m_shortest = std::min(m_shortest, part.size());
    m_longest = std::max(m_longest, part.size());
    const auto number = [](std::string_view digits) {
        double value = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    };
    part = part.substr(0, kDigits);
    const double whole = number(cells[0]), digits = number(part) / std::pow(10.0, static_cast<double>(part.size()));
    if (m_divided > 1) {
        const double a = whole - m_whole, b = digits - m_part;
        m_product += a * b;
        m_wholeSquares += a * a;
        m_partSquares += b * b;
    }
    m_whole = whole;
    m_part = digits;
    return true;
}

double JoinTest::correlation() const
{
    const double squares = m_wholeSquares * m_partSquares;
    return squares > 0 ? m_product / std::sqrt(squares) : 0;
}

JoinTest::Verdict JoinTest::ofFractions() const
{
    constexpr double kOpposed = -0.3;
    constexpr int64_t kSteps = 20;
    if (m_headerCells > 1)
        return Verdict::Two;
    if (m_minusZero || m_leadingZero || m_single > 0)
        return Verdict::One;
    if (m_divided >= kSteps && correlation() < kOpposed)
        return Verdict::One;
    if (m_shortest != m_longest && m_trailingZero)
        return Verdict::Two; // whole numbers end in 0 now and then, fractions of different length do not
    if (isNamed())
        return Verdict::OneByHeader;
    if (m_divided < kEnough || m_longest == 1)
        return Verdict::Open;
    return m_shortest == m_longest ? Verdict::Two : Verdict::One;
}

JoinTest::Verdict JoinTest::ofGroups() const
{
    if (m_headerCells > 1)
        return Verdict::Two;
    if (m_leadingZero || m_single > 0 || m_fewestCells != m_mostCells)
        return Verdict::One;
    if (isNamed())
        return Verdict::OneByHeader;
    return m_divided >= kEnough ? Verdict::Two : Verdict::Open;
}

JoinTest::Verdict JoinTest::verdict() const
{
    if (m_fails || m_divided == 0)
        return Verdict::Two;
    return isFraction() ? ofFractions() : ofGroups();
}

} // namespace unroll
