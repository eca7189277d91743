// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"
#include "core/check/ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

namespace unroll {

namespace {

constexpr std::size_t kMostCycles = 100; ///< that are named; further ones are cut in silence

/// Kahn's algorithm with the smallest id first, over the wires that a step waits for. When nothing is ready, a cycle is
/// found by walking backwards, named, and cut.
class Sorter {
public:
    explicit Sorter(Level& level)
        : m_level(level),
          m_waiting(level.items.size(), 0),
          m_passed(level.items.size(), 0),
          m_cut(level.links.size(), false),
          m_done(level.items.size(), false)
    {
        for (std::size_t i = 0; i < level.links.size(); ++i) {
            m_cut[i] = level.links[i].late;
            if (!m_cut[i])
                ++m_waiting[level.links[i].to];
        }
        for (std::size_t i = 0; i < level.items.size(); ++i)
            if (m_waiting[i] == 0)
                m_ready.push(i);
    }

    void sort()
    {
        m_level.order.reserve(m_level.items.size());
        while (m_level.order.size() < m_level.items.size()) {
            while (m_ready.empty())
                cutCycle();
            const std::size_t next = m_ready.top();
            m_ready.pop();
            m_done[next] = true;
            m_level.order.push_back(next);
            for (const std::size_t link : m_level.items[next].out)
                drop(link);
        }
    }

private:
    void drop(std::size_t link)
    {
        if (m_cut[link])
            return;
        m_cut[link] = true;
        const std::size_t to = m_level.links[link].to;
        if (--m_waiting[to] == 0 && !m_done[to])
            m_ready.push(to);
    }

    /// Every node that waits has a node before it that waits, so walking back must come round.
    std::vector<std::size_t> findCycle()
    {
        while (m_done[m_firstWaiting])
            ++m_firstWaiting;
        std::size_t at = m_firstWaiting;
        std::vector<std::size_t> path;
        while (m_passed[at] != m_cycles) {
            m_passed[at] = m_cycles;
            path.push_back(at);
            const auto& in = m_level.items[at].in;
            const auto waiting = std::find_if(in.begin(), in.end(), [&](std::size_t link) { return !m_cut[link]; });
            at = m_level.links[*waiting].from;
        }
        std::vector<std::size_t> cycle(std::find(path.begin(), path.end(), at), path.end());
        std::reverse(cycle.begin(), cycle.end());
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        return cycle;
    }

    void cutCycle()
    {
        ++m_cycles;
        const std::vector<std::size_t> cycle = findCycle();
        std::vector<std::size_t> closing;
        for (const std::size_t link : m_level.items[cycle.front()].in)
            if (!m_cut[link] && m_level.links[link].from == cycle.back())
                closing.push_back(link);
        if (m_cycles <= kMostCycles)
            reportCycle(cycle, closing);
        for (const std::size_t link : closing) {
            m_level.links[link].cut = true;
            drop(link);
        }
    }

    void reportCycle(const std::vector<std::size_t>& cycle, const std::vector<std::size_t>& closing)
    {
        std::string names;
        for (const std::size_t index : cycle)
            names += m_level.items[index].node->name + " -> ";
        Item& first = m_level.items[cycle.front()];
        const Wire& wire = *m_level.links[closing.front()].wire;
        const std::string sentence = names + first.node->name + " is a cycle: a node cannot depend on its own output";
        const Converter* delay = carriesSequences(closing) ? &*m_delay : nullptr;
        m_level
            .error(&first, wire.to.port, "cycle",
                   delay == nullptr ? sentence : sentence + "; put a " + delay->spec->title + " in")
            .fix = delay == nullptr ? cutting(cycle, closing) : delaying(*delay, closing);
    }

    /// Whether a delay can stand in these wires.
    bool carriesSequences(const std::vector<std::size_t>& links) const
    {
        return m_delay && std::all_of(links.begin(), links.end(), [&](std::size_t index) {
                   const Link& link = m_level.links[index];
                   const PortSpec* output = m_level.items[link.from].output(link.wire->from.port);
                   return link.usable && output != nullptr && output->type == PortType::Sequence;
               });
    }

    Fix delaying(const Converter& delay, const std::vector<std::size_t>& closing) const
    {
        std::vector<GraphEdit> inserts;
        for (const std::size_t index : closing)
            inserts.push_back(insertedOn(delay, m_level.graph, *m_level.links[index].wire));
        const std::string title = "Insert " + delay.spec->title;
        return m_level.fix(title, edits::sequence(title, std::move(inserts)));
    }

    Fix cutting(const std::vector<std::size_t>& cycle, const std::vector<std::size_t>& closing) const
    {
        std::vector<GraphEdit> cuts;
        for (const std::size_t link : closing)
            cuts.push_back(edits::disconnect(*m_level.links[link].wire));
        const Wire& wire = *m_level.links[closing.front()].wire;
        const std::string title = fmt::format("Cut {}.{} -> {}.{}", m_level.items[cycle.back()].node->name,
                                              wire.from.port, m_level.items[cycle.front()].node->name, wire.to.port);
        return m_level.fix(title, edits::sequence(title, std::move(cuts)));
    }

    Level& m_level;
    std::optional<Converter> m_delay = findDelay(m_level.registry);
    std::vector<std::size_t> m_waiting; ///< wires into the item that are neither cut nor done
    std::vector<std::size_t> m_passed;  ///< number of the newest search that came by
    std::vector<bool> m_cut;
    std::vector<bool> m_done;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> m_ready;
    std::size_t m_cycles = 0;
    std::size_t m_firstWaiting = 0;
};

} // namespace

void orderNodes(Level& level)
{
    Sorter(level).sort();
}

} // namespace unroll
