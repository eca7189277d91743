// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/format/tensor_view.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace unroll {

/// How near a number has to come back. Numbers that are NaN or infinite come back as such.
enum class Nearness {
    Exact,    ///< places on an axis, indices: themselves, where they are whole numbers or floats; others as Relative
    Largest,  ///< within 2^-11 of itself, and what is smaller than 2^-27 of the largest beside it within 2^-38 of that
    Relative, ///< within 2^-11 of itself: on an axis of logarithms
};

/// Lists of numbers one behind another in three tensors, "half", "single" and "double": each list in the narrowest of
/// them that gives its numbers back as near as they have to be. In half precision a list is divided by a power of two,
/// so that its largest number has no influence on how many digits are kept.
class NumberPools {
public:
    /// `exact`: every list comes back as it is, however near it has to be.
    explicit NumberPools(bool exact = false) : m_exact(exact) {}

    /// Where it lies, [pool, offset, count, exponent]: a value is what the pool holds times 2^exponent.
    Json put(const std::vector<double>& values, Nearness nearness);
    /// Those that hold something.
    std::vector<format::OwnedTensor> tensors() const;

private:
    std::vector<std::uint16_t> m_half;
    std::vector<float> m_single;
    std::vector<double> m_double;
    bool m_exact;
};

/// The same lists from a file. What it says is checked.
class ReadPools {
public:
    /// Those of the tensors that are pools. An error names one of another type or shape.
    static Result<ReadPools> of(std::vector<format::OwnedTensor> tensors);
    /// Nothing: there is no such list.
    std::optional<std::vector<double>> take(const Json& place) const;

private:
    std::array<format::OwnedTensor, 3> m_pools;
};

} // namespace unroll
