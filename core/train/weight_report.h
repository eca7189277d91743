// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// A weight that does not fit the model's of the same name.
struct Misfit {
    std::string name;
    std::vector<std::int64_t> found;             ///< its shape where it was looked for
    std::vector<std::int64_t> wanted;            ///< its shape in the model
    std::string reason = {};                     ///< why it is not taken, where that is not the shape; else empty
    std::string foundForm = {}, wantedForm = {}; ///< WeightSpec::form, where both are said and differ; else empty

    bool operator==(const Misfit&) const = default;

    /// "lstm.weight_ih_l0: [1024, 64] in the file, [1024, 128] in the model"; `there` is where it was looked for:
    /// "file".
    std::string text(const std::string& there) const;
};

/// A weight that is indexed by symbols of the data, taken from a model of data with others.
struct SymbolMatch {
    std::string name;
    std::string entries;    ///< what is counted: "rows", "columns", "values"
    std::int64_t taken = 0; ///< of them, found by their symbols
    std::int64_t all = 0;
    std::vector<std::string> fresh; ///< the symbols that were not found there: these entries are left as drawn

    bool operator==(const SymbolMatch&) const = default;
    std::string counts() const; ///< "26 of 31 rows"
    std::string text() const;   ///< "head.weight: 26 of 31 rows matched by symbol, 5 re-initialised: 'ä', 'ö', ..."
};

/// Which weights of a model were taken from elsewhere: a file, or another run.
struct WeightReport {
    std::vector<std::string> loaded;
    std::vector<std::string> missing;       ///< in the model alone: left as drawn
    std::vector<std::string> unexpected;    ///< not in the model
    std::vector<Misfit> mismatched;         ///< likewise left as drawn
    std::vector<SymbolMatch> bySymbol = {}; ///< taken entry by entry
    std::vector<std::string> notes = {};    ///< what else is to be known of how they were taken, as sentences
    std::vector<std::string> here = {};     ///< all that the model has, with shapes: "lstm.weight_ih_l0 [1024, 128]"
    std::vector<std::string> there = {};    ///< all that was looked through, likewise, and the type where it is not F32

    std::size_t taken() const { return loaded.size() + bySymbol.size(); }
    std::size_t inModel() const { return taken() + missing.size() + mismatched.size(); }
    bool operator==(const WeightReport&) const = default;
};

/// "[512, 128]".
std::string shapeText(const std::vector<std::int64_t>& shape);
inline constexpr std::size_t kWordsListed = 12; ///< names in a sentence on weights

/// Why none of the model's weights could be taken, with the names on both sides.
std::string nothingFits(const WeightReport& report, const std::string& there);

} // namespace unroll
