// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// A unit and the value above which it is on.
struct AlikeUnit {
    std::int64_t unit = 0;
    double threshold = 0;

    bool operator==(const AlikeUnit&) const = default;
};

/// A place of the data where units are on as in the span.
struct AlikePlace {
    std::int64_t sequence = -1; ///< number of the sequence or stream it is in, from 0; -1: the data are one sequence
    std::int64_t step = 0;      ///< its first one, from 0: of the split, or of the sequence
    double score = 0;           ///< share of the (unit, step) pairs that agree with the span's
    std::string text;           ///< with what is around it, the place itself in brackets; empty where numbers were read
    std::optional<std::int64_t> readingStep = {}; ///< where it lies within the reading
};

struct AlikeData : LensData {
    static constexpr std::size_t kBins = 20;

    std::vector<AlikePlace> places;  ///< the best first; none overlaps another or the span itself
    std::vector<AlikeUnit> units;    ///< one at least
    bool unitsFound = false;         ///< they were found by the span; false: they were chosen
    bool byQuantile = false;         ///< thresholds are the units' 75 % quantiles in the data; false: one was given
    std::int64_t from = 0, to = 0;   ///< the span; `to` excluded
    std::vector<float> reading;      ///< [units, steps of the reading]: 1 on, 0 off, NaN where a value is not a number
    std::vector<std::string> labels; ///< of the reading's steps; may be empty
    std::array<std::int64_t, kBins>
        histogram{};          ///< of all windows' scores: bin b is b/20 .. (b+1)/20, 1 is in the last one
    std::int64_t windows = 0; ///< that were scored
    double median = 0;        ///< of their scores
    std::int64_t missing =
        0; ///< values of these units that are NaN or infinite, in the reading and in the data; they agree with nothing
    std::string node, signal;
    std::string of;       ///< what was read
    std::string searched; ///< "8,192 steps of the validation split, in 16 streams"

    Figure figure() const override;
};

} // namespace unroll
