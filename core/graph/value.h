// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace unroll {

/// A choice is its word; a path is its text.
using PlainValue = std::variant<bool, std::int64_t, double, std::string>;

/// Values of one parameter by the copies of the innermost repeated group around the block that has it. Copies are
/// counted from 1. See by_copy.h.
struct ByCopy {
    enum class Rule {
        List,  ///< one value a copy
        Every, ///< `values` has two: that of each count-th copy, and that of the others
        First, ///< likewise, of the first `count` copies
        Last,  ///< likewise, of the last `count` copies
    };
    Rule rule = Rule::List;
    std::int64_t count = 0; ///< of a list: 0
    std::vector<PlainValue> values;

    bool operator==(const ByCopy&) const = default;
};

/// What a parameter holds.
using ParamValue = std::variant<bool, std::int64_t, double, std::string, ByCopy>;

/// Parameters by name. A name that is absent stands for the default of the block's spec.
using Params = std::map<std::string, ParamValue>;

} // namespace unroll
