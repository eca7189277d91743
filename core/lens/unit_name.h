// SPDX-License-Identifier: GPL-3.0-or-later
// Names of units in words, the same in every lens.
#pragma once

#include "core/lens/frame.h"

#include <cstdint>
#include <string>

namespace unroll {

/// How the units of a signal are named: by number, or by their places in matrices of this size.
struct UnitNames {
    std::int64_t rows = 0, columns = 0; ///< of each matrix; 0: the units are single numbers
    MatrixAxes axes = {};

    std::string matrix(std::int64_t matrix) const; ///< "head 0"
    std::string of(std::int64_t unit) const;       ///< "unit 93", "head 1, key 5, value 13"
    std::string brief(std::int64_t unit) const;    ///< "93", where a heading says what it is; in matrices as above
    std::string place(std::int64_t unit) const;    ///< in numbers alone, under unitHeading(): "93", "1, 5, 13"
};
UnitNames namesOf(const SignalFrame& frame);

/// What the numbers of UnitNames::place() count: "unit", "head, key, value".
std::string unitHeading(const UnitNames& names);

} // namespace unroll
