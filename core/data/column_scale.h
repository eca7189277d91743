// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace unroll {

enum class Normalisation {
    Standard, // mean 0, standard deviation 1 over the training part
    MinMax,   // 0..1 over the training part
    None
};

/// How the numbers of one column become what a model reads: (x - shift) / scale.
struct ColumnScale {
    std::string name;
    double shift = 0;
    double scale = 1;

    bool operator==(const ColumnScale&) const = default;
};

/// Of what a model reads, and of what it tells. A trained model keeps them: other data are read with the same ones.
struct SeriesScales {
    std::vector<ColumnScale> inputs;
    std::vector<ColumnScale> targets;
    int64_t horizon = 0; // rows from what is read to what is told

    bool operator==(const SeriesScales&) const = default;
};

/// Between which numbers a column lies; NaN stands for one that is missing.
struct ColumnSpread {
    int64_t count = 0; // numbers that are there
    double least = 0, greatest = 0;

    double size() const;  // of the largest number, without its sign
    double range() const; // from the least to the greatest
    /// None is there, or they differ by roundings alone: judged by their own size, however small that is.
    bool isConstant() const;
    /// How many numbers between the least and the greatest a format of this relative precision tells apart.
    double levels(double epsilon) const;
};
ColumnSpread spreadOf(std::span<const double> values);

/// From these numbers alone. A column that does not change is moved and not stretched, one that differs by roundings
/// alone becomes one number; one without a number is left as it is.
ColumnScale scaleOf(const std::string& name, std::span<const double> values, Normalisation normalisation);

} // namespace unroll
