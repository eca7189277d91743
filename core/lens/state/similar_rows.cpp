// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/unit_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace unroll {

namespace {

using Rows = std::vector<std::int64_t>;

/// A square table of distances.
class Distances {
public:
    explicit Distances(std::size_t count) : m_count(count), m_values(count * count, 0) {}

    std::size_t count() const { return m_count; }
    double& at(std::size_t a, std::size_t b) { return m_values[a * m_count + b]; }
    double at(std::size_t a, std::size_t b) const { return m_values[a * m_count + b]; }

private:
    std::size_t m_count;
    std::vector<double> m_values;
};

/// The units apart by what can be said of them.
struct Kinds {
    Rows changing, still, missing;
};

Kinds kindsOf(const HeatCells& cells)
{
    std::vector<bool> holes(static_cast<std::size_t>(cells.width), false);
    std::vector<bool> changes(holes.size(), false);
    for (std::size_t i = 0; i < cells.values.size(); ++i) {
        const std::size_t unit = i % holes.size();
        holes[unit] = holes[unit] || !std::isfinite(cells.values[i]);
        changes[unit] = changes[unit] || cells.values[i] != cells.values[unit];
    }
    Kinds kinds;
    for (std::size_t unit = 0; unit < holes.size(); ++unit)
        (holes[unit]     ? kinds.missing
         : changes[unit] ? kinds.changing
                         : kinds.still)
            .push_back(static_cast<std::int64_t>(unit));
    return kinds;
}

/// 1 - r of every two of the units, r as the mean product of the standardised values.
Distances distancesOf(const HeatCells& cells, const Rows& units)
{
    const std::vector<UnitRange> ranges = unitRanges(cells, UnitScale::Standardised);
    Distances apart(units.size());
    std::vector<double> now(units.size());
    for (std::int64_t t = 0; t < cells.steps; ++t) {
        for (std::size_t i = 0; i < units.size(); ++i) {
            const UnitRange& range = ranges[static_cast<std::size_t>(units[i])];
            now[i] = (static_cast<double>(cells.at(t, units[i])) - range.centre) / range.size;
        }
        for (std::size_t i = 0; i < units.size(); ++i) // along memory: the inner loop is a vector's
            for (std::size_t j = 0; j < units.size(); ++j)
                apart.at(i, j) += now[i] * now[j];
    }
    for (std::size_t i = 0; i < units.size(); ++i)
        for (std::size_t j = 0; j < units.size(); ++j)
            apart.at(i, j) = 1 - apart.at(i, j) / static_cast<double>(cells.steps);
    return apart;
}

/// The clusters while they join, each with its leaves in order.
class Clusters {
public:
    explicit Clusters(Distances leaves) : m_leaves(leaves), m_apart(std::move(leaves)), m_members(m_leaves.count())
    {
        for (std::size_t i = 0; i < m_members.size(); ++i)
            m_members[i] = {i};
    }

    std::vector<std::size_t> order()
    {
        for (std::size_t left = m_members.size(); left > 1; --left)
            joinNext();
        const auto whole =
            std::find_if(m_members.begin(), m_members.end(), [](const auto& leaves) { return !leaves.empty(); });
        if (whole == m_members.end())
            return {};
        if (whole->front() > whole->back())
            std::reverse(whole->begin(), whole->end());
        return *whole;
    }

private:
    bool isThere(std::size_t cluster) const { return !m_members[cluster].empty(); }

    /// Of equally near ones that which is before it in the chain, else the first.
    std::size_t nearestTo(std::size_t cluster) const
    {
        std::size_t found = m_chain.size() > 1 ? m_chain[m_chain.size() - 2] : m_members.size();
        double least = found < m_members.size() ? m_apart.at(cluster, found) : std::numeric_limits<double>::infinity();
        for (std::size_t other = 0; other < m_members.size(); ++other)
            if (other != cluster && isThere(other) && m_apart.at(cluster, other) < least) {
                found = other;
                least = m_apart.at(cluster, other);
            }
        return found;
    }

    /// Along nearest neighbours until two are each other's.
    void joinNext()
    {
        if (m_chain.empty())
            m_chain.push_back(static_cast<std::size_t>(
                std::find_if(m_members.begin(), m_members.end(), [](const auto& leaves) { return !leaves.empty(); }) -
                m_members.begin()));
        for (;;) {
            const std::size_t next = nearestTo(m_chain.back());
            if (m_chain.size() > 1 && next == m_chain[m_chain.size() - 2])
                break;
            m_chain.push_back(next);
        }
        const std::size_t a = m_chain[m_chain.size() - 1], b = m_chain[m_chain.size() - 2];
        m_chain.resize(m_chain.size() - 2);
        join(std::min(a, b), std::max(a, b));
    }

    void join(std::size_t a, std::size_t b)
    {
        const auto sizeA = static_cast<double>(m_members[a].size()), sizeB = static_cast<double>(m_members[b].size());
        for (std::size_t other = 0; other < m_members.size(); ++other) {
            m_apart.at(a, other) = (sizeA * m_apart.at(a, other) + sizeB * m_apart.at(b, other)) / (sizeA + sizeB);
            m_apart.at(other, a) = m_apart.at(a, other);
        }
        turn(m_members[a], m_members[b]);
        m_members[a].insert(m_members[a].end(), m_members[b].begin(), m_members[b].end());
        m_members[b].clear();
    }

    /// So that the end of the one and the start of the other are as near as can be.
    void turn(std::vector<std::size_t>& a, std::vector<std::size_t>& b) const
    {
        const auto apart = [&](bool turnA, bool turnB) {
            return m_leaves.at(turnA ? a.front() : a.back(), turnB ? b.back() : b.front());
        };
        bool turnA = false, turnB = false;
        for (const auto& [first, second] : {std::pair{false, true}, {true, false}, {true, true}})
            if (apart(first, second) < apart(turnA, turnB)) {
                turnA = first;
                turnB = second;
            }
        if (turnA)
            std::reverse(a.begin(), a.end());
        if (turnB)
            std::reverse(b.begin(), b.end());
    }

    const Distances m_leaves;
    Distances m_apart; ///< of the clusters, by the lowest of their leaves
    std::vector<std::vector<std::size_t>> m_members;
    std::vector<std::size_t> m_chain;
};

} // namespace

Rows similarRows(const HeatCells& cells)
{
    Kinds kinds = kindsOf(cells);
    Rows rows;
    for (const std::size_t leaf : Clusters(distancesOf(cells, kinds.changing)).order())
        rows.push_back(kinds.changing[leaf]);
    rows.insert(rows.end(), kinds.still.begin(), kinds.still.end());
    rows.insert(rows.end(), kinds.missing.begin(), kinds.missing.end());
    return rows;
}

} // namespace unroll
