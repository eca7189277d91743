// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which units are on where, and which windows agree with a span. No torch.

#include "core/lens/alike/alike.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace unroll::lenses::alike {

/// On and off of some units along steps, 64 units a word.
struct Pattern {
    std::int64_t steps = 0;
    std::size_t words = 0;            ///< of each step
    std::vector<std::uint64_t> on;    ///< [steps, words]
    std::vector<std::uint64_t> known; ///< likewise: the value is a number
    std::int64_t missing = 0;         ///< values that are not
};

/// Values [steps, width], of which the units' columns are taken: on is above the unit's threshold.
Pattern patternOf(std::span<const float> values, std::int64_t width, const std::vector<AlikeUnit>& units);

/// The value below which a share of the numbers lies, between neighbours linearly (numpy's default); NaN of none. What
/// is not a number is left out.
double quantileOf(std::vector<double> values, double share);

/// A window and how many of its (unit, step) pairs agree.
struct Window {
    std::size_t stream = 0;
    std::int64_t step = 0; ///< its first one
    std::int64_t agreeing = 0;

    bool operator==(const Window&) const = default;
};

/// Where the span lies in a stream.
struct SpanPlace {
    std::size_t stream = 0;
    std::int64_t step = 0; ///< may begin before the stream
};

/// Every window of the span's length in the streams but those that overlap the span's own place, by stream and step.
/// O(steps x span's steps x words).
std::vector<Window> scoredWindows(const std::vector<Pattern>& streams, const Pattern& span,
                                  const std::optional<SpanPlace>& own);

/// The best ones, none of which overlaps another: by agreement, equal ones by stream and step.
std::vector<Window> bestWindows(std::vector<Window> windows, std::int64_t length, std::size_t most);

} // namespace unroll::lenses::alike
