// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

namespace unroll {

/// When something that costs time may be done again, so that it takes a given share of all time. Times in seconds, on a
/// clock that stands still while nothing is trained. What was not spent is not saved up.
class LookClock {
public:
    bool isMeasured() const { return m_cost > 0; }
    double cost() const { return m_cost; }   ///< of the last ones; 0: not known
    double began() const { return m_began; } ///< the newest
    /// `share` of 0 or less: never.
    bool isDue(double now, double share) const
    {
        return share > 0 && (!isMeasured() || now - m_began >= m_cost / share);
    }
    /// It was done at `began` and cost so much.
    void took(double began, double cost)
    {
        m_cost = isMeasured() ? (m_cost + cost) / 2 : cost;
        m_cost = std::max(m_cost, kLeast);
        m_began = began;
        m_times.push_back(began);
        if (m_times.size() > kRemembered)
            m_times.pop_front();
    }
    /// The newest has cost that much more.
    void alsoTook(double cost) { m_cost += m_times.size() > 1 ? cost / 2 : cost; }
    /// Over the last few; 0: there were fewer than two.
    double perMinute() const
    {
        const double seconds = m_times.empty() ? 0 : m_times.back() - m_times.front();
        return seconds > 0 ? 60 * static_cast<double>(m_times.size() - 1) / seconds : 0;
    }

private:
    static constexpr double kLeast = 1e-6;
    static constexpr std::size_t kRemembered = 8;
    double m_cost = 0;
    double m_began = 0;
    std::deque<double> m_times;
};

} // namespace unroll
