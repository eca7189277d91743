// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/sparse_map.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_eigvals.h>
#include <ATen/ops/real.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace unroll::lenses::spectrum {

namespace {

using Complex = std::complex<double>;
using Circles = std::vector<std::vector<std::int64_t>>;

/// Tarjan's strongly connected components, without recursion: chains may be as long as the state.
class CircleSearch {
public:
    CircleSearch(const std::vector<std::int64_t>& starts, const std::vector<std::int32_t>& columns)
        : m_starts(starts),
          m_columns(columns),
          m_order(starts.size() - 1, -1),
          m_low(starts.size() - 1, 0),
          m_open(starts.size() - 1, 0)
    {}

    Circles find()
    {
        for (std::int64_t i = 0; i < std::ssize(m_order); ++i)
            if (m_order[static_cast<std::size_t>(i)] < 0)
                follow(i);
        for (std::vector<std::int64_t>& circle : m_found)
            std::sort(circle.begin(), circle.end());
        std::sort(m_found.begin(), m_found.end());
        return std::move(m_found);
    }

private:
    struct Visit {
        std::int64_t number, next; ///< the entry that is followed next
    };

    void enter(std::int64_t number)
    {
        const auto i = static_cast<std::size_t>(number);
        m_order[i] = m_low[i] = m_count++;
        m_open[i] = 1;
        m_stack.push_back(number);
        m_visits.push_back({number, m_starts[i]});
    }

    void follow(std::int64_t first)
    {
        enter(first);
        while (!m_visits.empty()) {
            const auto i = static_cast<std::size_t>(m_visits.back().number);
            if (m_visits.back().next < m_starts[i + 1]) {
                const auto to = static_cast<std::size_t>(m_columns[static_cast<std::size_t>(m_visits.back().next++)]);
                if (m_order[to] < 0)
                    enter(static_cast<std::int64_t>(to));
                else if (m_open[to] != 0)
                    m_low[i] = std::min(m_low[i], m_order[to]);
                continue;
            }
            m_visits.pop_back();
            if (m_low[i] == m_order[i])
                close(static_cast<std::int64_t>(i));
            if (!m_visits.empty()) {
                const auto parent = static_cast<std::size_t>(m_visits.back().number);
                m_low[parent] = std::min(m_low[parent], m_low[i]);
            }
        }
    }

    void close(std::int64_t last)
    {
        std::vector<std::int64_t>& circle = m_found.emplace_back();
        for (std::int64_t number = -1; number != last;) {
            number = m_stack.back();
            m_stack.pop_back();
            m_open[static_cast<std::size_t>(number)] = 0;
            circle.push_back(number);
        }
    }

    const std::vector<std::int64_t>& m_starts;
    const std::vector<std::int32_t>& m_columns;
    std::vector<std::int64_t> m_order, m_low;
    std::vector<char> m_open; ///< on the stack
    std::vector<std::int64_t> m_stack;
    std::vector<Visit> m_visits;
    std::int64_t m_count = 0;
    Circles m_found;
};

} // namespace

SparseMap::SparseMap(const at::Tensor& matrix) : m_size(matrix.size(0))
{
    append(matrix);
}

void SparseMap::append(const at::Tensor& rows)
{
    const at::Tensor all = rows.detach().cpu().to(at::kComplexDouble).contiguous();
    const auto* value = reinterpret_cast<const Complex*>(all.const_data_ptr<c10::complex<double>>());
    for (std::int64_t i = 0; i < all.size(0); ++i) {
        for (std::int64_t j = 0; j < m_size; ++j, ++value)
            if (*value != Complex(0)) { // NaN too
                m_columns.push_back(static_cast<std::int32_t>(j));
                m_values.push_back(*value);
            }
        m_starts.push_back(entries());
    }
}

void SparseMap::appendRow(const std::vector<std::pair<std::int64_t, double>>& entries)
{
    for (const auto& [column, value] : entries) {
        m_columns.push_back(static_cast<std::int32_t>(column));
        m_values.emplace_back(value);
    }
    m_starts.push_back(std::ssize(m_values));
}

std::int64_t SparseMap::notFinite() const
{
    return std::count_if(m_values.begin(), m_values.end(), [](const Complex& value) {
        return !std::isfinite(value.real()) || !std::isfinite(value.imag());
    });
}

bool SparseMap::isDiagonal() const
{
    for (std::size_t row = 0; row + 1 < m_starts.size(); ++row)
        for (std::int64_t i = m_starts[row]; i < m_starts[row + 1]; ++i)
            if (m_columns[static_cast<std::size_t>(i)] != static_cast<std::int32_t>(row))
                return false;
    return true;
}

Complex SparseMap::at(std::int64_t row, std::int64_t column) const
{
    const auto first = m_columns.begin() + m_starts[static_cast<std::size_t>(row)];
    const auto last = m_columns.begin() + m_starts[static_cast<std::size_t>(row) + 1];
    const auto found = std::lower_bound(first, last, static_cast<std::int32_t>(column));
    return found == last || *found != column ? Complex(0)
                                             : m_values[static_cast<std::size_t>(found - m_columns.begin())];
}

std::vector<Complex> SparseMap::diagonal() const
{
    std::vector<Complex> values;
    for (std::int64_t i = 0; i < m_size; ++i)
        values.push_back(at(i, i));
    return values;
}

SparseMap SparseMap::complexHalf() const
{
    const std::int64_t n = m_size / 2;
    double largest = 0;
    for (const Complex& value : m_values)
        largest = std::max(largest, std::abs(value));
    SparseMap made(n);
    for (std::int64_t row = 0; row < m_size; ++row) {
        const std::int64_t mirror = row < n ? row + n : row - n;
        for (std::int64_t i = m_starts[static_cast<std::size_t>(row)]; i < m_starts[static_cast<std::size_t>(row) + 1];
             ++i) {
            const std::int64_t column = m_columns[static_cast<std::size_t>(i)];
            const Complex value = m_values[static_cast<std::size_t>(i)];
            const bool same = (row < n) == (column < n); // the same real part in both, imaginary parts of two signs
            const Complex other = at(mirror, column < n ? column + n : column - n);
            if (!(std::abs(value - (same ? other : -other)) <= 1e-5 * largest))
                return SparseMap(0);
        }
    }
    for (std::int64_t row = 0; row < n; ++row) {
        std::map<std::int64_t, Complex> entries; // a row, by column
        for (std::int64_t i = m_starts[static_cast<std::size_t>(row)]; i < m_starts[static_cast<std::size_t>(row) + 1];
             ++i) {
            const std::int64_t column = m_columns[static_cast<std::size_t>(i)];
            entries[column % n] += column < n ? Complex(m_values[static_cast<std::size_t>(i)].real(), 0)
                                              : Complex(0, -m_values[static_cast<std::size_t>(i)].real());
        }
        for (const auto& [column, value] : entries) {
            made.m_columns.push_back(static_cast<std::int32_t>(column));
            made.m_values.push_back(value);
        }
        made.m_starts.push_back(made.entries());
    }
    return made;
}

Circles SparseMap::circles() const
{
    return CircleSearch(m_starts, m_columns).find();
}

at::Tensor SparseMap::blocks(const std::vector<const std::vector<std::int64_t>*>& circles) const
{
    const std::int64_t size = std::ssize(*circles.front());
    at::Tensor made = at::zeros({std::ssize(circles), size, size}, at::kComplexDouble);
    auto* to = reinterpret_cast<Complex*>(made.mutable_data_ptr<c10::complex<double>>());
    bool isReal = true;
    for (const std::vector<std::int64_t>* circle : circles)
        for (const std::int64_t row : *circle)
            for (const std::int64_t column : *circle) {
                *to = at(row, column);
                isReal = isReal && to->imag() == 0;
                ++to;
            }
    return isReal ? at::real(made).contiguous() : made;
}

std::vector<Complex> SparseMap::eigenvalues(const Circles& circles) const
{
    std::vector<std::int64_t> starts{0}; // of the values of each circle
    std::map<std::int64_t, std::vector<std::size_t>> bySize;
    for (std::size_t i = 0; i < circles.size(); ++i) {
        starts.push_back(starts.back() + std::ssize(circles[i]));
        bySize[std::ssize(circles[i])].push_back(i);
    }
    std::vector<Complex> found(static_cast<std::size_t>(starts.back()));
    for (const auto& [size, places] : bySize) {
        std::vector<const std::vector<std::int64_t>*> alike;
        for (const std::size_t place : places)
            alike.push_back(&circles[place]);
        const at::Tensor all = blocks(alike);
        const at::Tensor values = (size == 1 ? all : at::linalg_eigvals(all)).to(at::kComplexDouble).contiguous();
        const auto* from = reinterpret_cast<const Complex*>(values.const_data_ptr<c10::complex<double>>());
        for (const std::size_t place : places) {
            std::copy(from, from + size, found.begin() + starts[place]);
            from += size;
        }
    }
    return found;
}

std::map<std::int64_t, std::int64_t> sizesOf(const Circles& circles)
{
    std::map<std::int64_t, std::int64_t> sizes;
    for (const std::vector<std::int64_t>& circle : circles)
        ++sizes[std::ssize(circle)];
    return sizes;
}

} // namespace unroll::lenses::spectrum
