// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <complex>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace unroll::lenses::spectrum {

/// A square matrix row by row without its zeros, on the CPU in double. Zeros are those that are exactly zero: numbers
/// of a state that do not depend on each other.
class SparseMap {
public:
    /// Without a row, for n of them; n below 2^31.
    explicit SparseMap(std::int64_t n) : m_size(n) {}
    /// Of a matrix [n, n], real or complex.
    explicit SparseMap(const at::Tensor& matrix);

    /// The rows after those that are there, [rows, n], real or complex.
    void append(const at::Tensor& rows);
    /// One more, of its entries, whose columns ascend.
    void appendRow(const std::vector<std::pair<std::int64_t, double>>& entries);

    std::int64_t size() const { return m_size; }
    std::int64_t entries() const { return static_cast<std::int64_t>(m_values.size()); }
    std::int64_t notFinite() const;
    bool isDiagonal() const;
    std::vector<std::complex<double>> diagonal() const;
    /// Of the real matrix of z -> real and imaginary part, all real parts first, the complex one of half the size; one
    /// of size 0 where it is none, to 1e-5 of the largest entry.
    SparseMap complexHalf() const;

    /// The numbers in groups that depend on each other in a circle (strongly connected components), ordered by their
    /// first: put in the order of the dependence, the matrix is block triangular, a block each.
    std::vector<std::vector<std::int64_t>> circles() const;
    /// The eigenvalues, which are those of the blocks: block by block, in the order of circles(). All entries finite.
    std::vector<std::complex<double>> eigenvalues(const std::vector<std::vector<std::int64_t>>& circles) const;

private:
    std::complex<double> at(std::int64_t row, std::int64_t column) const; ///< O(log of the row)
    /// The blocks [circles, size, size] of circles of one size.
    at::Tensor blocks(const std::vector<const std::vector<std::int64_t>*>& circles) const;

    std::int64_t m_size;
    std::vector<std::int64_t> m_starts{0}; ///< of each row, and the end
    std::vector<std::int32_t> m_columns;   ///< ascending in each row
    std::vector<std::complex<double>> m_values;
};

/// How many circles there are of each size.
std::map<std::int64_t, std::int64_t> sizesOf(const std::vector<std::vector<std::int64_t>>& circles);

} // namespace unroll::lenses::spectrum
