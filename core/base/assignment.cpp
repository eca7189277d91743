// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/assignment.h"

#include <cassert>
#include <cstddef>
#include <limits>

namespace unroll {

namespace {

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

/// Rows are paired one after the other, each along the cheapest path that frees a column for it; prices keep all
/// reduced costs from being negative.
class Pairing {
public:
    /// rows <= columns
    Pairing(const std::vector<double>& cost, std::size_t rows, std::size_t columns, bool turned)
        : m_cost(cost),
          m_rows(rows),
          m_columns(columns),
          m_turned(turned),
          m_rowPrice(rows, 0),
          m_columnPrice(columns, 0),
          m_rowOf(columns, kNobody)
    {}

    /// The row of each column.
    const std::vector<std::size_t>& pair()
    {
        for (std::size_t row = 0; row < m_rows; ++row)
            take(row);
        return m_rowOf;
    }

private:
    double costOf(std::size_t row, std::size_t column) const
    {
        return m_turned ? m_cost[column * m_rows + row] : m_cost[row * m_columns + column];
    }

    /// Dijkstra from the row over reduced costs, to the first free column.
    void take(std::size_t start)
    {
        constexpr double far = std::numeric_limits<double>::infinity();
        std::vector<double> distance(m_columns, far);
        std::vector<std::size_t> before(m_columns, kNobody); // the column that the path to this one comes from
        std::vector<bool> done(m_columns, false);
        std::vector<std::size_t> path; // columns that are done, in their order
        std::size_t row = start, from = kNobody, end = kNobody;
        double walked = 0;
        while (end == kNobody) {
            std::size_t next = kNobody;
            for (std::size_t column = 0; column < m_columns; ++column) {
                if (done[column])
                    continue;
                const double reach = walked + costOf(row, column) - m_rowPrice[row] - m_columnPrice[column];
                if (reach < distance[column]) {
                    distance[column] = reach;
                    before[column] = from;
                }
                if (next == kNobody || distance[column] < distance[next])
                    next = column;
            }
            assert(next != kNobody);
            walked = distance[next];
            if (m_rowOf[next] == kNobody) {
                end = next;
                break;
            }
            done[next] = true;
            path.push_back(next);
            from = next;
            row = m_rowOf[next];
        }
        m_rowPrice[start] += walked;
        for (const std::size_t column : path) {
            m_rowPrice[m_rowOf[column]] += walked - distance[column];
            m_columnPrice[column] -= walked - distance[column];
        }
        for (std::size_t column = end; column != kNobody;) {
            const std::size_t back = before[column];
            m_rowOf[column] = back == kNobody ? start : m_rowOf[back];
            column = back;
        }
    }

    const std::vector<double>& m_cost;
    std::size_t m_rows, m_columns;
    bool m_turned; ///< rows and columns of the costs have changed places
    std::vector<double> m_rowPrice, m_columnPrice;
    std::vector<std::size_t> m_rowOf; ///< of each column
};

} // namespace

std::vector<std::int64_t> cheapestPairs(const std::vector<double>& cost, std::int64_t rows, std::int64_t columns)
{
    assert(rows >= 0 && columns >= 0 && static_cast<std::int64_t>(cost.size()) == rows * columns);
    const bool turned = rows > columns;
    const auto fewer = static_cast<std::size_t>(turned ? columns : rows);
    const auto more = static_cast<std::size_t>(turned ? rows : columns);
    Pairing pairing(cost, fewer, more, turned);
    std::vector<std::int64_t> columnOf(static_cast<std::size_t>(rows), -1);
    const std::vector<std::size_t>& pairs = pairing.pair();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (pairs[i] == kNobody)
            continue;
        if (turned)
            columnOf[i] = static_cast<std::int64_t>(pairs[i]);
        else
            columnOf[pairs[i]] = static_cast<std::int64_t>(i);
    }
    return columnOf;
}

} // namespace unroll
