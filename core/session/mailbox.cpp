// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/mailbox.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace unroll {

std::shared_ptr<const LensFrame> Snapshot::frameOf(const LensQuery& query) const
{
    const auto found =
        std::find_if(frames.begin(), frames.end(), [&](const auto& frame) { return frame->query == query; });
    return found == frames.end() ? nullptr : *found;
}

void MetricQueue::push(MetricRow row)
{
    const MutexLock lock(m_mutex);
    if (m_rows.size() >= m_capacity)
        mergeNeighbours();
    m_rows.push_back(std::move(row));
}

void MetricQueue::mergeNeighbours()
{
    std::vector<MetricRow> merged;
    merged.reserve(m_rows.size() / 2 + 1);
    for (std::size_t i = 0; i < m_rows.size(); i += 2) {
        if (i + 1 < m_rows.size()) {
            MetricRow& newer = m_rows[i + 1];
            newer.values.merge(m_rows[i].values); // keeps the newer value where both have one
            merged.push_back(std::move(newer));
        } else {
            merged.push_back(std::move(m_rows[i]));
        }
    }
    m_rows = std::move(merged);
}

std::vector<MetricRow> MetricQueue::take()
{
    const MutexLock lock(m_mutex);
    return std::exchange(m_rows, {});
}

SnapshotBox::SnapshotBox() : m_newest(std::make_shared<const Snapshot>()) {}

void SnapshotBox::put(std::shared_ptr<const Snapshot> snapshot)
{
    {
        const MutexLock lock(m_mutex);
        m_newest.swap(snapshot); // the old one is freed outside the lock
        m_read = false;
    }
    m_ended.notify_all();
}

std::shared_ptr<const Snapshot> SnapshotBox::newest() const
{
    const MutexLock lock(m_mutex);
    m_read = true;
    return m_newest;
}

bool SnapshotBox::wasRead() const
{
    const MutexLock lock(m_mutex);
    return m_read;
}

bool SnapshotBox::waitForEnd(double seconds) const
{
    MutexLock lock(m_mutex);
    const auto ended = [this]() UNROLL_REQUIRES(m_mutex) { return hasEnded(m_newest->state); };
    if (seconds < 0) {
        m_ended.wait(lock, ended);
        return true;
    }
    return m_ended.wait_for(lock, std::chrono::duration<double>(seconds), ended);
}

void CommandQueue::push(Command command)
{
    {
        const MutexLock lock(m_mutex);
        m_commands.push_back(std::move(command));
    }
    m_arrived.notify_one();
}

std::vector<CommandQueue::Command> CommandQueue::take(bool wait)
{
    MutexLock lock(m_mutex);
    if (wait)
        m_arrived.wait(lock, [this]() UNROLL_REQUIRES(m_mutex) { return !m_commands.empty(); });
    return std::exchange(m_commands, {});
}

} // namespace unroll
