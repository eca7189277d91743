// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/scale_notes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace unroll {

namespace {

constexpr double kFewLevels = 1000; // a curve drawn in fewer steps is not a curve

/// The numbers as a sentence has them.
std::string between(const ColumnSpread& spread)
{
    return spread.least == spread.greatest ? fmt::format("{}", spread.least)
                                           : fmt::format("{} to {}", spread.least, spread.greatest);
}

/// The numbers that most of a column lies between: a twentieth is below and a twentieth above.
ColumnSpread bulkOf(std::span<const double> values)
{
    constexpr size_t kShare = 20;
    std::vector<double> numbers;
    std::copy_if(values.begin(), values.end(), std::back_inserter(numbers),
                 [](double value) { return !std::isnan(value); });
    const size_t outside = numbers.size() / kShare;
    if (numbers.empty())
        return {};
    const auto at = [&](size_t place) {
        std::nth_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(place), numbers.end());
        return numbers[place];
    };
    return {static_cast<int64_t>(numbers.size()), at(outside), at(numbers.size() - 1 - outside)};
}

/// Numbers far from the others: in training they leave too few digits for the others, later they are far from all that
/// was seen.
void noteOutliers(const NumberColumn& column, const ColumnScale& scale, int64_t trainingRows,
                  std::vector<DataNote>& notes)
{
    constexpr double kFar = 1000; // in units of the scale, or of what training has of them
    const std::span<const double> all(column.values);
    const auto rows = static_cast<size_t>(trainingRows);
    const ColumnSpread bulk = bulkOf(all.first(rows)), training = spreadOf(all.first(rows)),
                       later = spreadOf(all.subspan(rows));
    const auto scaled = [&](double value) { return std::abs((value - scale.shift) / scale.scale); };
    const double size = std::max(scaled(bulk.least), scaled(bulk.greatest));
    const double levels = bulk.range() / scale.scale / (size * std::numeric_limits<float>::epsilon());
    if (bulk.count > 0 && !bulk.isConstant() && levels < kFewLevels)
        notes.emplace_back(
            "lost-precision",
            fmt::format("{} ranges from {} in training, but most values lie in {}: after scaling, single precision "
                        "distinguishes only {:.0f} of these values. If some of them mean missing, set missing to them.",
                        column.name, between(training), between(bulk), std::max(1.0, levels)),
            true);
    const double farthest = later.count > 0 ? std::max(scaled(later.least), scaled(later.greatest)) : 0;
    if (!training.isConstant() &&
        farthest > kFar * std::max(1.0, std::max(scaled(training.least), scaled(training.greatest))))
        notes.emplace_back(
            "far-outside",
            fmt::format("After the training part {} ranges from {}, far outside the range used for scaling ({}): "
                        "scaled, these values are {:.3g} times as large as any in training.",
                        column.name, between(later), between(training),
                        farthest / std::max(scaled(training.least), scaled(training.greatest))),
            true);
}

/// What the spread of the training part and of the whole say.
void noteSpread(const NumberColumn& column, Normalisation normalisation, int64_t trainingRows,
                std::vector<DataNote>& notes)
{
    const std::span<const double> all(column.values);
    const ColumnSpread whole = spreadOf(all), training = spreadOf(all.first(static_cast<size_t>(trainingRows)));
    const auto warn = [&](const char* code, std::string sentence) {
        notes.emplace_back(code, std::move(sentence), true);
    };
    if (training.count == 0)
        return warn("no-training-numbers", whole.count == 0
                                               ? fmt::format("{} contains no numbers.", column.name)
                                               : fmt::format("{} has no numbers in the training part, so no scale is "
                                                             "known: its later values ({}) are left unscaled.",
                                                             column.name, between(whole)));
    const bool scaled = normalisation != Normalisation::None;
    if (training.isConstant() && training.least != training.greatest)
        warn("lost-precision", fmt::format("The values of {} ({}) differ by less than the rounding error of double "
                                           "precision: they are treated as constant.",
                                           column.name, between(training)));
    else if (!training.isConstant() && training.levels(std::numeric_limits<double>::epsilon()) < kFewLevels)
        warn("lost-precision", fmt::format("Double precision distinguishes only {:.0f} values in the range of {} ({}): "
                                           "subtract a constant before writing the table.",
                                           std::max(2.0, training.levels(std::numeric_limits<double>::epsilon())),
                                           column.name, between(training)));
    if (!scaled && !whole.isConstant() &&
        (whole.levels(std::numeric_limits<float>::epsilon()) < kFewLevels ||
         whole.range() < std::numeric_limits<float>::min()))
        warn("lost-precision", fmt::format("Without normalisation {} ({}) is read in single precision, which cannot "
                                           "distinguish its values: normalise it.",
                                           column.name, between(whole)));
    if (scaled && training.isConstant() && !whole.isConstant())
        warn("constant-in-training",
             fmt::format("{} is {} throughout the training part but not later ({}), so no scale is known; {} is "
                         "subtracted and {}.",
                         column.name, between(training), between(whole), training.least,
                         training.least == training.greatest ? "nothing is divided"
                                                             : fmt::format("divided by {}", training.size())));
    else if (training.least == training.greatest && whole.isConstant())
        notes.emplace_back(
            "constant", fmt::format("{} is {} in every row: it carries no information.", column.name, training.least));
}

} // namespace

void noteScale(const NumberColumn& column, const ColumnScale& scale, Normalisation normalisation, int64_t trainingRows,
               std::vector<DataNote>& notes)
{
    noteSpread(column, normalisation, trainingRows, notes);
    if (normalisation != Normalisation::None)
        noteOutliers(column, scale, trainingRows, notes);
}

} // namespace unroll
