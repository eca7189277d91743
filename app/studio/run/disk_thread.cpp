// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/run/disk_thread.h"

#include <exception>
#include <utility>

namespace unroll {

DiskThread::DiskThread(QObject* parent) : QObject(parent), m_thread([this](const std::stop_token& stop) { work(stop); })
{}

DiskThread::~DiskThread() = default;

void DiskThread::ask(Work work)
{
    {
        const MutexLock lock(m_mutex);
        m_asked.push_back(std::move(work));
    }
    m_wake.notify_one();
}

void DiskThread::work(const std::stop_token& stop)
{
    MutexLock lock(m_mutex);
    while (m_wake.wait(lock, stop, [this]() UNROLL_REQUIRES(m_mutex) { return !m_asked.empty(); }) &&
           !stop.stop_requested()) {
        const Work next = std::move(m_asked.front());
        m_asked.pop_front();
        lock.unlock();
        doOne(next, stop);
        lock.lock();
    }
}

void DiskThread::doOne(const Work& work, const std::stop_token& stop)
{
    Answer answer;
    try {
        answer = work(stop);
    } catch (const std::exception& exception) {
        answer = [this, reason = QString::fromUtf8(exception.what())] { Q_EMIT failed(reason); };
    }
    QMetaObject::invokeMethod(this, std::move(answer), Qt::QueuedConnection);
}

} // namespace unroll
