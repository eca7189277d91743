// SPDX-License-Identifier: GPL-3.0-or-later
// Classes sorted by frequency, cut into bands: what the adaptive head and the adaptive embedding share. Standard
// library only.
#pragma once

#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

/// The first band is the shortlist, each of the others a tail of rarer classes.
struct ClassBands {
    std::vector<std::int64_t> cutoffs; ///< first class of each tail, rising
    std::int64_t classes = 0;
    std::string fault = {}; ///< of the text they were read from, as a sentence; empty: none

    std::int64_t shortlist() const { return cutoffs.empty() ? classes : cutoffs.front(); }
    std::size_t tails() const { return cutoffs.size(); }
    std::int64_t first(std::size_t tail) const { return cutoffs[tail]; }
    std::int64_t size(std::size_t tail) const
    {
        return (tail + 1 < cutoffs.size() ? cutoffs[tail + 1] : classes) - cutoffs[tail];
    }
};

/// A fifth of the classes in front of one tail; of many classes a fifteenth in front of two, the second of which begins
/// at a fifth.
inline std::vector<std::int64_t> usualCutoffs(std::int64_t classes)
{
    constexpr std::int64_t kMany = 1000, kFew = 2;
    if (classes < kFew)
        return {};
    const std::int64_t fifth = std::max<std::int64_t>(1, classes / 5);
    if (classes < kMany)
        return {fifth};
    return {classes / 15, fifth};
}

/// "2000, 10000"; an empty text stands for usualCutoffs, and so does one with a fault.
inline ClassBands bandsOf(const std::string& text, std::int64_t classes)
{
    ClassBands bands{usualCutoffs(classes), classes};
    const auto isBlank = [](char c) { return c == ' ' || c == '\t'; };
    if (std::all_of(text.begin(), text.end(), isBlank))
        return bands;
    std::vector<std::int64_t> given;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(',', from), text.size());
        std::string word = text.substr(from, end - from);
        word.erase(std::remove_if(word.begin(), word.end(), isBlank), word.end());
        std::int64_t number = 0;
        const auto [stop, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (failure != std::errc() || stop != word.data() + word.size()) {
            bands.fault = "cutoffs are whole numbers separated by commas, as in 2000, 10000; '" + word + "' is none";
            return bands;
        }
        if (number <= (given.empty() ? 0 : given.back())) {
            bands.fault = "cutoffs must rise from at least 1; " + std::to_string(number) + " does not";
            return bands;
        }
        given.push_back(number);
        from = end + 1;
    }
    if (classes > 0 && given.back() >= classes) {
        bands.fault = "every cutoff must be below the number of classes, " + std::to_string(classes) +
                      "; the last is " + std::to_string(given.back());
        return bands;
    }
    bands.cutoffs = std::move(given);
    return bands;
}

/// Width of the vectors of a tail, of `width` in the shortlist: width // div_value^(tail + 1) as Python has it, at
/// least 1.
inline std::int64_t tailWidth(std::int64_t width, double divValue, std::size_t tail)
{
    const double all = static_cast<double>(width), by = std::pow(divValue, static_cast<double>(tail + 1));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::round((all - std::fmod(all, by)) / by)));
}

inline std::vector<ParamSpec> bandParams(const std::string& what)
{
    return {textParam("cutoffs", "First class of each tail, separated by commas: 2000, 10000.",
                      "a fifth of the classes, or from 1,000 on a fifteenth and a fifth"),
            realParam("div_value", 4, 1, 1000, "Factor by which " + what + " narrow from one tail to the next.")};
}

/// What is wrong with the cutoffs, where the classes are known.
inline void inferBands(InferScope& scope, std::int64_t classes)
{
    const ClassBands bands = bandsOf(scope.text("cutoffs"), classes);
    if (bands.fault.empty())
        return;
    scope.error("cutoffs", "cutoffs", bands.fault);
    scope.offerParam("Choose the cutoffs by the number of classes", "cutoffs", std::string());
}

/// "tail.0.1.weight", as torch.nn.AdaptiveLogSoftmaxWithLoss calls them.
inline std::string tailWeight(std::size_t tail, int layer)
{
    return "tail." + std::to_string(tail) + "." + std::to_string(layer) + ".weight";
}

} // namespace unroll::nodes
