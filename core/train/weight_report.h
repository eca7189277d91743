// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// A weight that does not fit the model's of the same name.
struct Misfit {
    std::string name;
    std::vector<std::int64_t> found;  ///< its shape where it was looked for
    std::vector<std::int64_t> wanted; ///< its shape in the model
    std::string unreadType = {};      ///< "F8_E4M3": no shape is known, for this type is not read; else empty
    std::string foundForm = {}, wantedForm = {}; ///< WeightSpec::form, where both are said and differ; else empty

    bool operator==(const Misfit&) const = default;

    /// "lstm.weight_ih_l0: [1024, 64] in the file, [1024, 128] in the model"; `there` is where it was looked for: "file".
    std::string text(const std::string& there) const;
};

/// Which weights of a model were taken from elsewhere: a file, or another run.
struct WeightReport {
    std::vector<std::string> loaded;
    std::vector<std::string> missing;    ///< in the model alone: left as drawn
    std::vector<std::string> unexpected; ///< not in the model
    std::vector<Misfit> mismatched;      ///< likewise left as drawn

    std::size_t inModel() const { return loaded.size() + missing.size() + mismatched.size(); }
    bool operator==(const WeightReport&) const = default;
};

} // namespace unroll
