// SPDX-License-Identifier: GPL-3.0-or-later
// How one step of decoding is timed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace unroll::contract {

inline double median(std::vector<double>& values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Microseconds of a step, the median over a fifth of a second and at least thirty steps, behind one that is not timed.
template <class Step>
double microsecondsOf(const Step& step)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::duration<double> kLeast(0.2);
    constexpr std::size_t kLeastSteps = 30; // however long they take
    step();
    std::vector<double> taken;
    const auto start = Clock::now();
    for (auto last = start; taken.size() < kLeastSteps || last - start < kLeast;) {
        step();
        const auto now = Clock::now();
        taken.push_back(std::chrono::duration<double, std::micro>(now - last).count());
        last = now;
    }
    return median(taken);
}

} // namespace unroll::contract
