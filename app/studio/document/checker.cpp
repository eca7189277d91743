// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/checker.h"

namespace unroll {

Checker::Checker(const BlockRegistry& registry, DataCache& data, QObject* parent)
    : QObject(parent), m_registry(registry), m_data(data), m_reader(data), m_thread([this](std::stop_token stop) {
          work(stop);
      })
{}

Checker::~Checker() = default;

void Checker::request(Experiment experiment)
{
    {
        const MutexLock lock(m_mutex);
        m_pending = std::move(experiment);
        ++m_requested;
    }
    m_wake.notify_one();
}

bool Checker::isNewest(std::uint64_t request)
{
    const MutexLock lock(m_mutex);
    return request == m_requested;
}

void Checker::work(const std::stop_token& stop)
{
    MutexLock lock(m_mutex);
    while (m_wake.wait(lock, stop, [this]() UNROLL_REQUIRES(m_mutex) { return m_pending.has_value(); })) {
        const Experiment experiment = std::move(*m_pending);
        m_pending.reset();
        const std::uint64_t number = m_requested;
        lock.unlock();
        auto result = std::make_shared<const CheckedGraph>(checkExperiment(experiment, m_registry, m_data));
        const auto answer = [this, result, data = m_reader.read(experiment, *result), number] {
            if (isNewest(number))
                Q_EMIT checked(result, data);
        };
        QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
        lock.lock();
    }
}

} // namespace unroll
