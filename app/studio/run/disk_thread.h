// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/mutex.h"

#include <QObject>
#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

namespace unroll {

/// Work on a disk of unknown speed, on a thread of its own, one after the other. Requests not started at destruction
/// are dropped.
class DiskThread : public QObject {
    Q_OBJECT
public:
    /// Run on this object's thread when the work is done, unless it has gone.
    using Answer = std::function<void()>;
    /// Run on the disk's thread. What takes long looks at `stop` and ends when it is asked to.
    using Work = std::function<Answer(const std::stop_token& stop)>;

    explicit DiskThread(QObject* parent = nullptr);
    ~DiskThread() override; ///< waits for the current task

    void ask(Work work);

Q_SIGNALS:
    void failed(const QString& sentence); ///< work threw, as when the memory ran out: its answer does not come

private:
    void work(const std::stop_token& stop);
    void doOne(const Work& work, const std::stop_token& stop);

    Mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Work> m_asked UNROLL_GUARDED_BY(m_mutex);
    std::jthread m_thread; ///< last member: joined before the others go
};

} // namespace unroll
