// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace unroll {

/// A growing curve with a pyramid of least and greatest values over it, so that any zoom is drawn in time that goes
/// with the width of the picture, not with the number of points. x never falls; y may be NaN or infinite: such points
/// are kept apart and are in no extreme.
class SeriesStore {
public:
    void append(double x, double y);
    void clear();

    std::size_t size() const { return m_x.size(); }
    bool empty() const { return m_x.empty(); }
    double x(std::size_t i) const { return m_x[i]; }
    double y(std::size_t i) const { return m_y[i]; }
    /// x of the points that are not numbers.
    std::span<const double> notNumbers() const { return m_notNumbers; }

    /// Where the extremes of points first .. last - 1 stand; O(log n). Nothing where no point is a number.
    struct Places {
        std::size_t least;
        std::size_t greatest;
    };
    std::optional<Places> extremePlaces(std::size_t first, std::size_t last) const;
    /// Indices of the points with x in x0..x1, widened by one to either side so that a line reaches the edges.
    std::pair<std::size_t, std::size_t> range(double x0, double x1) const;

    /// The curve within n spans of x, given by n + 1 edges that never fall (the outer ones may be infinite): all its
    /// points where there are no more than 2 n, else the least and the greatest of each span, in the order of x.
    std::vector<QPointF> decimated(std::span<const double> edges) const;
    /// x of points that are not numbers, one at most a span of such edges.
    std::vector<double> notNumbersWithin(std::span<const double> edges) const;

private:
    static constexpr std::size_t kFan = 8; ///< entries of one level behind one entry of the next
    struct Cell {
        std::size_t least; ///< index of the least point, or npos
        std::size_t greatest;
    };
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

    Cell joined(const Cell& a, const Cell& b) const;
    Cell leaf(std::size_t i) const;
    Cell extremes(std::size_t first, std::size_t last) const;
    Cell scan(std::size_t level, std::size_t first, std::size_t last) const;
    Cell cellAt(std::size_t level, std::size_t i) const { return level == 0 ? leaf(i) : m_levels[level - 1][i]; }

    std::vector<double> m_x;
    std::vector<double> m_y;
    std::vector<double> m_notNumbers;
    std::vector<std::vector<Cell>>
        m_levels; ///< m_levels[k][i] covers points i * fan^(k+1) .. ; only whole cells are stored
};

} // namespace unroll
