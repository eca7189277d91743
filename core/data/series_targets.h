// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace unroll {

/// What is asked for in the rows of a table, as sums from which any stretch of rows is told at once.
class SeriesTargets {
public:
    /// `values`: rows x width, NaN where missing. `horizon`: rows from what is read to what is asked for.
    SeriesTargets(const std::vector<float>& values, size_t width, int64_t horizon);

    bool lacksSome() const { return !m_asked.empty(); }
    int64_t asked(int64_t row, int64_t rows) const; ///< numbers among the targets of so many rows from that one on
    /// Squared errors of saying in those rows that what is asked for will be what it is now; where that is missing,
    /// what it was last, as inputs are filled. With a horizon of 0 there is nothing to say again.
    double squaresOfRepeating(int64_t row, int64_t rows) const;

private:
    void compareWithLastValue(const std::vector<float>& values, size_t rows, size_t horizon);

    size_t m_width;
    std::vector<int64_t> m_asked;    // of each row, and of the end: numbers in all rows before; empty: none is missing
    std::vector<double> m_repeating; // likewise the squared errors; empty: the horizon is 0
};

} // namespace unroll
