// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/layout/layers.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace unroll {

/// Between a node and a lane.
inline constexpr double kMixedGap = 30;

inline double gapBetween(const Cell& upper, const Cell& lower)
{
    constexpr double nodes = 40, lanes = 20;
    if (upper.isLane() != lower.isLane())
        return kMixedGap;
    return upper.isLane() ? lanes : nodes;
}

/// Tops nearest to the wishes, in the sense of weighted least squares, that keep order and gaps: isotonic regression by
/// pooling.
class ColumnSpacing {
public:
    void add(const Cell& cell, double wish, double weight)
    {
        const double offset = m_offsets.empty() ? 0 : m_offsets.back() + m_last.height + gapBetween(m_last, cell);
        m_offsets.push_back(offset);
        m_last = cell;
        m_pools.push_back({(wish - offset) * weight, weight, 1});
        while (m_pools.size() > 1 && m_pools[m_pools.size() - 2].mean() >= m_pools.back().mean()) {
            const Pool lower = m_pools.back();
            m_pools.pop_back();
            m_pools.back().sum += lower.sum;
            m_pools.back().weight += lower.weight;
            m_pools.back().count += lower.count;
        }
    }

    /// In the order in which they were added. With a grid the tops are on it: gaps and heights are whole steps, so
    /// rounding keeps them.
    std::vector<double> tops(double grid = 0) const
    {
        std::vector<double> tops;
        for (const Pool& pool : m_pools) {
            const double base = grid > 0 ? std::round(pool.mean() / grid) * grid : pool.mean();
            for (std::size_t count = 0; count < pool.count; ++count)
                tops.push_back(base + m_offsets[tops.size()]);
        }
        return tops;
    }

private:
    struct Pool {
        double sum;
        double weight;
        std::size_t count;
        double mean() const { return sum / weight; }
    };

    Cell m_last;
    std::vector<double> m_offsets;
    std::vector<Pool> m_pools;
};

} // namespace unroll
