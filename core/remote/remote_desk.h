// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/message.h"
#include "core/base/mutex.h"
#include "core/experiment/experiment.h"

#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Messages on their way to the link's thread, and what it has learned of the other side. Thread-safe.
class RemoteDesk {
public:
    RemoteDesk();
    ~RemoteDesk();
    RemoteDesk(const RemoteDesk&) = delete;
    RemoteDesk& operator=(const RemoteDesk&) = delete;

    void push(Message message);
    std::vector<Message> take();
    void wake(); ///< the link's thread, where it waits for bell()
    int bell() const { return m_hears; }

    void learn(Experiment experiment, std::string folder);
    std::optional<Experiment> experiment() const;
    std::string folder() const;

private:
    mutable Mutex m_mutex;
    std::vector<Message> m_messages UNROLL_GUARDED_BY(m_mutex);
    std::optional<Experiment> m_experiment UNROLL_GUARDED_BY(m_mutex);
    std::string m_folder UNROLL_GUARDED_BY(m_mutex);
    int m_hears = -1, m_rings = -1;
};

} // namespace unroll
