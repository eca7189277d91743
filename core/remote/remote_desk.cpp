// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/remote_desk.h"

#include "core/remote/channel.h"

#include <iterator>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace unroll {

namespace {

constexpr std::size_t kMostCommands = 1000; ///< that wait for a connection

} // namespace

RemoteDesk::RemoteDesk()
{
    if (const auto files = pipePair()) {
        m_hears = files->first;
        m_rings = files->second;
    }
}

RemoteDesk::~RemoteDesk()
{
    ::close(m_hears);
    ::close(m_rings);
}

void RemoteDesk::push(Message message)
{
    {
        const MutexLock lock(m_mutex);
        if (m_messages.size() >= kMostCommands)
            m_messages.erase(m_messages.begin());
        m_messages.push_back(std::move(message));
    }
    wake();
}

void RemoteDesk::wake()
{
    pollfd ready{m_rings, POLLOUT, 0};
    if (::poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0)
        (void)!::write(m_rings, "!", 1);
}

std::vector<Message> RemoteDesk::take()
{
    char rung[64];
    pollfd ready{m_hears, POLLIN, 0};
    while (::poll(&ready, 1, 0) == 1 && (ready.revents & POLLIN) != 0)
        if (::read(m_hears, rung, sizeof rung) < std::ssize(rung))
            break;
    const MutexLock lock(m_mutex);
    return std::exchange(m_messages, {});
}

void RemoteDesk::learn(Experiment experiment, std::string folder)
{
    const MutexLock lock(m_mutex);
    m_experiment = std::move(experiment);
    m_folder = std::move(folder);
}

std::optional<Experiment> RemoteDesk::experiment() const
{
    const MutexLock lock(m_mutex);
    return m_experiment;
}

std::string RemoteDesk::folder() const
{
    const MutexLock lock(m_mutex);
    return m_folder;
}

} // namespace unroll
