// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace unroll {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Items that reach each other along wires: the strongly connected components. Source: Sharir 1981 (Kosaraju's
/// algorithm), without recursion.
class Components {
public:
    explicit Components(const Level& level) : m_level(level), m_of(level.items.size(), kNone)
    {
        const std::vector<std::size_t> finished = finishOrder();
        for (auto item = finished.rbegin(); item != finished.rend(); ++item)
            if (m_of[*item] == kNone)
                flood(*item);
    }

    std::size_t of(std::size_t item) const { return m_of[item]; }
    std::size_t count() const { return m_count; }

private:
    /// Items in the order in which a walk along the wires is done with them.
    std::vector<std::size_t> finishOrder() const
    {
        std::vector<std::size_t> finished, open, next(m_level.items.size(), 0);
        std::vector<bool> seen(m_level.items.size(), false);
        for (std::size_t start = 0; start < m_level.items.size(); ++start) {
            if (!seen[start])
                open.push_back(start);
            seen[start] = true;
            while (!open.empty()) {
                const std::size_t item = open.back();
                const auto& out = m_level.items[item].out;
                if (next[item] == out.size()) {
                    finished.push_back(item);
                    open.pop_back();
                    continue;
                }
                const Link& link = m_level.links[out[next[item]++]];
                if (!link.cut && !seen[link.to]) {
                    seen[link.to] = true;
                    open.push_back(link.to);
                }
            }
        }
        return finished;
    }

    /// All that leads to the item and belongs to no component yet is of its own.
    void flood(std::size_t start)
    {
        std::vector<std::size_t> open{start};
        m_of[start] = m_count;
        while (!open.empty()) {
            const Item& item = m_level.items[open.back()];
            open.pop_back();
            for (const std::size_t in : item.in)
                if (const Link& link = m_level.links[in]; !link.cut && m_of[link.from] == kNone) {
                    m_of[link.from] = m_count;
                    open.push_back(link.from);
                }
        }
        ++m_count;
    }

    const Level& m_level;
    std::vector<std::size_t> m_of;
    std::size_t m_count = 0;
};

/// Orders the components as Kahn's algorithm does, those with the smallest id first, each with its items in the order
/// that they have.
class LoopSorter {
public:
    explicit LoopSorter(Level& level)
        : m_level(level), m_components(level), m_items(m_components.count()), m_waiting(m_components.count(), 0)
    {
        for (const std::size_t item : level.order)
            m_items[m_components.of(item)].push_back(item);
        for (const Link& link : level.links)
            if (crosses(link))
                ++m_waiting[m_components.of(link.to)];
    }

    void sort()
    {
        for (std::size_t component = 0; component < m_items.size(); ++component)
            if (m_waiting[component] == 0)
                makeReady(component);
        m_level.order.clear();
        while (!m_ready.empty()) {
            const auto& items = m_items[m_ready.top().second];
            m_ready.pop();
            place(items);
            for (const std::size_t item : items)
                for (const std::size_t out : m_level.items[item].out)
                    if (const Link& link = m_level.links[out];
                        crosses(link) && --m_waiting[m_components.of(link.to)] == 0)
                        makeReady(m_components.of(link.to));
        }
    }

private:
    bool crosses(const Link& link) const { return !link.cut && m_components.of(link.from) != m_components.of(link.to); }

    void makeReady(std::size_t component)
    {
        const auto& items = m_items[component];
        m_ready.emplace(*std::min_element(items.begin(), items.end()), component);
    }

    void place(const std::vector<std::size_t>& items)
    {
        m_level.order.insert(m_level.order.end(), items.begin(), items.end());
        if (items.size() == 1 && !feedsItself(items.front()))
            return;
        for (const std::size_t item : items)
            m_level.items[item].loop = m_level.loops.size();
        m_level.loops.push_back(items);
    }

    bool feedsItself(std::size_t item) const
    {
        const auto& out = m_level.items[item].out;
        return std::any_of(out.begin(), out.end(), [&](std::size_t index) {
            return !m_level.links[index].cut && m_level.links[index].to == item;
        });
    }

    using Ready = std::pair<std::size_t, std::size_t>; ///< smallest item, component
    Level& m_level;
    Components m_components;
    std::vector<std::vector<std::size_t>> m_items; ///< by component
    std::vector<std::size_t> m_waiting;            ///< wires that come to a component from others that are not placed
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> m_ready;
};

} // namespace

void orderLoops(Level& level)
{
    if (std::any_of(level.links.begin(), level.links.end(), [](const Link& link) { return link.late; }))
        LoopSorter(level).sort();
}

} // namespace unroll
