// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// A sequence as a model reads it, with what lies about the steps that are asked about: what a feature is at a step may
/// depend on all of it.
struct ReadSequence {
    int64_t steps = 0;
    std::vector<int32_t> tokens; ///< where the data are classes: what is read
    std::vector<int32_t>
        targets; ///< and what is asked for, kIgnoredTarget where nothing is; empty: nothing is known of it
    std::vector<float> features; ///< where they are numbers: steps x inputs
    std::vector<float> values;   ///< steps x targets, NaN where nothing is asked
    int64_t from = 0, to = 0;    ///< the steps that are asked about, `to` excluded; the others are context
    bool begins = true;          ///< nothing lies before its first step
};

/// Something that is true or false, or has a size, at each step of the data, whatever a model makes of it.
struct Feature {
    std::string id;   ///< "in_quotes": unique among those of the same data
    std::string name; ///< "quotations", "bracket depth": no unit follows ...
    std::string when; ///< of a binary one: "inside quotations": a unit is on ...; empty: it is a number
    /// Of the steps asked about, sequence after sequence: 0 or 1, or a number. NaN where it is not known: the beginning
    /// lies outside, or it has no meaning there.
    std::vector<float> values;

    bool binary() const { return !when.empty(); }
};

/// At most so many: the indicators of classes are those of the most frequent ones.
inline constexpr std::size_t kMostFeatures = 96;

/// Every feature that is known of these data. Text has those of any text, the bundled fables those of their grammar, a
/// task its hidden variables, a table its columns. Of all sequences together; constant ones are among them.
std::vector<Feature> featuresOf(const Dataset& data, const std::vector<ReadSequence>& sequences);

/// The windows of whole-split evaluation of a text follow on each other: as one sequence, so that what is open at the
/// end of one is open in the next. Sequences of other data as they are.
std::vector<ReadSequence> joined(const Dataset& data, std::vector<ReadSequence> sequences);

/// Number of steps that are asked about.
int64_t askedSteps(const std::vector<ReadSequence>& sequences);

} // namespace unroll
