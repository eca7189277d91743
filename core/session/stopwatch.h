// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

namespace unroll {

/// Seconds that passed while it ran. Only for people: no number of a run depends on it.
class Stopwatch {
public:
    void start()
    {
        if (!m_running)
            m_since = Clock::now();
        m_running = true;
    }
    void stop()
    {
        m_sum = seconds();
        m_running = false;
    }
    double seconds() const
    {
        return m_running ? m_sum + std::chrono::duration<double>(Clock::now() - m_since).count() : m_sum;
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_since{};
    double m_sum = 0;
    bool m_running = false;
};

/// Tokens a second over about the last second.
class Throughput {
public:
    void add(double seconds, std::int64_t tokens)
    {
        m_points.push_back({seconds, tokens});
        while (m_points.size() > 2 && seconds - m_points.front().seconds > 1.0)
            m_points.pop_front();
    }
    double perSecond() const
    {
        if (m_points.size() < 2 || m_points.back().seconds <= m_points.front().seconds)
            return 0;
        return static_cast<double>(m_points.back().tokens - m_points.front().tokens) /
               (m_points.back().seconds - m_points.front().seconds);
    }

private:
    struct Point {
        double seconds;
        std::int64_t tokens;
    };
    std::deque<Point> m_points;
};

} // namespace unroll
