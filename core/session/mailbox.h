// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/mutex.h"
#include "core/session/snapshot.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <vector>

namespace unroll {

/// Rows on their way to viewers. Bounded: when nobody takes them for long, neighbours merge (the newer row's values win
/// where both have one), so that memory stays bounded and the course of a curve survives. Thread-safe.
class MetricQueue {
public:
    explicit MetricQueue(std::size_t capacity = 65536) : m_capacity(capacity) {}

    void push(MetricRow row);
    std::vector<MetricRow> take();

private:
    void mergeNeighbours() UNROLL_REQUIRES(m_mutex);

    Mutex m_mutex;
    std::vector<MetricRow> m_rows UNROLL_GUARDED_BY(m_mutex);
    std::size_t m_capacity;
};

/// Holds the newest snapshot. Thread-safe.
class SnapshotBox {
public:
    SnapshotBox();

    void put(std::shared_ptr<const Snapshot> snapshot);
    std::shared_ptr<const Snapshot> newest() const;
    /// Whether a viewer has read the newest one: only then is a further snapshot worth its time.
    bool wasRead() const;
    /// Waits until the run has ended, at most `seconds` (negative: for ever).
    bool waitForEnd(double seconds) const;

private:
    mutable Mutex m_mutex;
    mutable std::condition_variable_any m_ended;
    std::shared_ptr<const Snapshot> m_newest UNROLL_GUARDED_BY(m_mutex);
    mutable bool m_read UNROLL_GUARDED_BY(m_mutex) = true;
};

class Runner;

/// Commands on their way to the worker, in order. Thread-safe.
class CommandQueue {
public:
    using Command = std::function<void(Runner&)>;

    void push(Command command);
    /// All that came in; waits for one when `wait` is set.
    std::vector<Command> take(bool wait);

private:
    Mutex m_mutex;
    std::condition_variable_any m_arrived;
    std::vector<Command> m_commands UNROLL_GUARDED_BY(m_mutex);
};

} // namespace unroll
