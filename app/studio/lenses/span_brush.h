// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace unroll {

/// Steps of a reading, `to` excluded; -1: none.
struct StepSpan {
    std::int64_t from = -1;
    std::int64_t to = -1;

    bool isEmpty() const { return from < 0; }
    bool has(std::int64_t step) const { return step >= from && step < to; }
    bool operator==(const StepSpan&) const = default;
};

/// A span that is being brushed, by a drag or by keys with Shift: from the step where that began to the one that was
/// come to, both included.
class SpanBrush {
public:
    bool isUnderWay() const { return m_began >= 0; }
    void begin(std::int64_t step) { m_began = step; }
    void end() { m_began = -1; }
    StepSpan to(std::int64_t step) const { return {std::min(m_began, step), std::max(m_began, step) + 1}; }
    /// A key led from one step (-1: none) to another.
    StepSpan by(std::int64_t from, std::int64_t step)
    {
        if (!isUnderWay())
            begin(from >= 0 ? from : step);
        return to(step);
    }

private:
    std::int64_t m_began = -1;
};

} // namespace unroll
